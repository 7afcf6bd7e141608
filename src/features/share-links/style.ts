import { createHash } from "node:crypto";
import { type AccentColors, decideColors } from "../../lib/accent-colors.ts";

/** The tones are those of the console (`console/app/ui/tokens.css`). */
const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#17212b, #e6edf3);
  --quiet: light-dark(#586673, #9aa9b6);
  --paper: light-dark(#f6f8fa, #0b1015);
  --card: light-dark(#ffffff, #10161c);
  --line: light-dark(#e1e6eb, #232d37);
  --right: light-dark(#146c3a, #6fd495);
  --wrong: light-dark(#b3202c, #ff9a95);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
header { display: flex; align-items: center; gap: 0.6rem; padding: 0.7rem 1rem; background: var(--brand); color: var(--on-brand); font-weight: 600; }
header img { display: block; height: 28px; width: auto; max-width: 60vw; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1 { margin: 0.75rem 0 0.25rem; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; }
h3 { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.75rem; margin: 0; font-size: 1.05rem; }
h4 { margin: 0 0 0.25rem; font-size: 0.9rem; color: var(--quiet); }
p, ul, dl { margin: 0.4rem 0; }
a { color: var(--link); }
section { margin: 1.5rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
article { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.75rem 1.5rem; margin-top: 0.5rem; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.3rem 0.75rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 0.92em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.lead { font-size: 1.1rem; font-weight: 600; }
.quiet { color: var(--quiet); font-size: 0.92rem; }
.state { padding: 0.05rem 0.65rem; border: 1px solid; border-radius: 999px; font-size: 0.85rem; }
[data-state="right"] { color: var(--right); font-weight: 600; }
.state[data-state="wrong"], .state[data-state="missing"], .problem { color: var(--wrong); }
.problem { overflow-wrap: anywhere; }
[data-live]:empty { display: none; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; margin: 0.75rem 0; }
button, .button { display: inline-block; min-height: 2.75rem; padding: 0.5rem 1.25rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; cursor: pointer; }
button.copy { min-height: 2rem; padding: 0.1rem 0.7rem; background: transparent; color: var(--ink); font-size: 0.85rem; font-weight: 500; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.button { text-decoration: none; }
@media (max-width: 36rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; }
  header { background: none; color: #000; border-bottom: 1px solid #000; }
  form, .copy, #stopped { display: none; }
  section { break-inside: avoid; border: 0; padding: 0; }
}
`;

/** The style of the pages. @param color their accent, `#rrggbb` */
export function styleOf(color: string): string {
  const { accent, onAccent, linkLight, linkDark }: AccentColors = decideColors(color);
  return `:root {
  --brand: ${accent};
  --on-brand: ${onAccent};
  --link: light-dark(${linkLight}, ${linkDark});
}
${STYLE}`;
}

/** Of the style without its colours, which the address names too. */
export const STYLE_VERSION = createHash("sha256").update(STYLE).digest("hex").slice(0, 12);

/** A share page in small, in both themes. */
import { type CSSProperties, useEffect, useRef } from "react";
import { decideColors } from "../../../src/lib/accent-colors.ts";
import css from "./branding.module.css";

/** The page itself, which does not follow the theme of the console. */
const PAGES = {
  light: { ground: "#f6f8fa", text: "#17212b" },
  dark: { ground: "#0b1015", text: "#e6edf3" },
} as const;

type Props = {
  readonly name: string;
  /** `#rrggbb` */
  readonly color: string;
  /** An image that is not stored yet, or the path of the stored one. */
  readonly logo: ImageBitmap | string | null;
};

export function BrandingPreview(props: Props) {
  return (
    <div className={css["previews"]} role="group" aria-label="Preview of the share page">
      <Preview {...props} theme="light" />
      <Preview {...props} theme="dark" />
    </div>
  );
}

function Preview({ name, color, logo, theme }: Props & { readonly theme: "light" | "dark" }) {
  const { onAccent, linkLight, linkDark } = decideColors(color);
  const colors = {
    "--brand": color,
    "--on-brand": onAccent,
    "--link": theme === "light" ? linkLight : linkDark,
    "--ground": PAGES[theme].ground,
    "--text-color": PAGES[theme].text,
  };
  return (
    <figure>
      <div className={css["preview"]} style={colors as CSSProperties}>
        <div className={css["top"]}>
          {logo === null ? null : typeof logo === "string" ? (
            <img src={logo} alt="" height="28" />
          ) : (
            <Drawn bitmap={logo} />
          )}
          <span dir="auto">{name}</span>
        </div>
        <div className={css["page"]}>
          <strong>Set up www.example.com</strong>
          <span>1 of 2 records is right.</span>
          <span className={css["button"]}>Check now</span>
          <span className={css["link"]}>Open its panel</span>
        </div>
      </div>
      <figcaption>{theme === "light" ? "Light theme" : "Dark theme"}</figcaption>
    </figure>
  );
}

const HEIGHT = 28;

/** The console's policy permits no image that is not of its origin, so a new one is drawn. */
function Drawn({ bitmap }: { readonly bitmap: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext("2d")?.drawImage(bitmap, 0, 0);
  }, [bitmap]);
  return (
    <canvas
      ref={canvas}
      width={bitmap.width}
      height={bitmap.height}
      style={{ height: HEIGHT, width: (HEIGHT * bitmap.width) / bitmap.height }}
      aria-hidden="true"
    />
  );
}

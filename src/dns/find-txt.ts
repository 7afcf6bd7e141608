import type { Lookup } from "./authority.ts";
import type { Question } from "./wire/message.ts";
import { recordsAt } from "./zones.ts";

const MAX_ALIASES = 8;

/** The texts of the TXT records at a name, or where its CNAMEs lead; null if that cannot be found out now. */
export async function findTexts(
  name: string,
  lookUp: (question: Question) => Promise<Lookup>,
): Promise<readonly string[] | null> {
  let owner = name;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const looked = await lookUp({ name: owner, type: "TXT" });
    if (looked.kind === "failed") return null;
    let end = owner;
    for (let hop = 0; hop < MAX_ALIASES; hop += 1)
      end = recordsAt(looked.records, end, "CNAME")[0]?.value ?? end;
    const texts = recordsAt(looked.records, end, "TXT").map(({ value }) => value);
    if (texts.length > 0 || end === owner) return texts;
    owner = end;
  }
  return [];
}

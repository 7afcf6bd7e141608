/** What becomes of each name that is typed, before anything is added. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ImportFate } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { readDomainNames } from "../api/domain-names.ts";
import { withSession } from "../api/session.ts";
import { Badge, type Tone } from "../ui/layout.tsx";
import { useSettled } from "../ui/use-settled.ts";
import css from "./names-preview.module.css";

/** As many as a group is created with at a time. */
export const NAMES_MAX = 100;
const TYPING_MS = 400;

/** A group of the user's choice needs no room elsewhere. */
const FATES: Readonly<Record<ImportFate, readonly [string, Tone]>> = {
  accepted: ["New", "good"],
  quota: ["New", "good"],
  invalid: ["Not valid", "bad"],
  taken: ["Used elsewhere", "bad"],
  duplicate: ["There already", "todo"],
  skipped: ["Skipped", "calm"],
};

/** It is as high as it will be, so that nothing moves while the user types. */
export function NamesPreview({ serviceId, text }: { readonly serviceId: string; readonly text: string }) {
  const settled = useSettled(text, TYPING_MS);
  const names = readDomainNames(settled).slice(0, NAMES_MAX);
  const { data } = useQuery({
    queryKey: ["names-preview", serviceId, names],
    queryFn: ({ signal }) =>
      withSession(() =>
        slipway.domains.import(serviceId, { domains: names }, { query: { dryRun: true }, signal }),
      ),
    enabled: names.length > 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const lines = names.length === 0 ? [] : (data?.lines ?? []);
  const refused = lines.filter(({ fate }) => FATES[fate][1] === "bad").length;
  return (
    <div className={css["box"]}>
      <p role="status" className={css["head"]}>
        {lines.length === 0
          ? "Each name appears here with what is wrong with it."
          : `${lines.length === 1 ? "1 name" : `${lines.length} names`}${refused === 0 ? ", all can be added" : `, ${refused} cannot be added`}`}
      </p>
      <ul className={css["names"]} aria-label="Names to add" tabIndex={lines.length === 0 ? undefined : 0}>
        {lines.map(({ line, name, fate, message }) => (
          <li key={line}>
            <code title={name}>{name}</code>
            <Badge tone={FATES[fate][1]} status={fate}>
              {FATES[fate][0]}
            </Badge>
            {message === null || fate === "quota" ? null : <small>It {message}.</small>}
          </li>
        ))}
      </ul>
    </div>
  );
}

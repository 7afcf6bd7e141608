import css from "./webhook.module.css";

/** What was sent or answered, as it is. */
export function Payload({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // It scrolls, which the keyboard has to reach.
    <pre className={css["payload"]} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

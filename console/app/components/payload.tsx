import css from "./payload.module.css";

/** Shows a text unchanged, such as the body of a request or of its answer. */
export function Payload({
  label,
  text,
  wraps = false,
}: {
  readonly label: string;
  readonly text: string;
  /** Long lines are broken, as in a command. */
  readonly wraps?: boolean;
}) {
  return (
    // It scrolls, which the keyboard has to reach.
    <pre className={css["payload"]} data-wraps={wraps} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

import { LinkButton } from "../link.tsx";

/** The ways to set variables. @param props.set the page that sets one; `paste` many */
export function VariableActions({
  reason,
  set,
  paste,
}: {
  readonly reason: string | null;
  readonly set: string;
  readonly paste: string;
}) {
  return (
    <>
      <LinkButton to={paste} disabledReason={reason}>
        Paste a .env
      </LinkButton>
      <LinkButton look="primary" to={set} disabledReason={reason}>
        Set a variable
      </LinkButton>
    </>
  );
}

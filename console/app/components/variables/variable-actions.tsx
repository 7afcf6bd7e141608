import { Button } from "../../ui/button.tsx";
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
  if (reason !== null)
    return (
      <>
        <Button disabledReason={reason}>Paste a .env</Button>
        <Button disabledReason={reason}>Set a variable</Button>
      </>
    );
  return (
    <>
      <LinkButton to={paste}>Paste a .env</LinkButton>
      <LinkButton look="primary" to={set}>
        Set a variable
      </LinkButton>
    </>
  );
}

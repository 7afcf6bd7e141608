import { useState } from "react";
import { ApiError } from "../../../sdk/src/errors.ts";
import { signInWithKey } from "../api/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Row } from "../ui/layout.tsx";
import css from "./form.module.css";
import { Problem } from "./problem.tsx";

const NOT_A_KEY =
  "This is not an API key: an API key consists of letters, digits and signs without spaces. Copy the whole key again.";
const UNKNOWN_KEY =
  "Slipway does not know this key. It is mistyped, incomplete or revoked. An admin of your organization can create a new one.";

/** Signs in with a key. @param props.onDone called when that worked */
export function SignInForm({
  onDone,
  onCancel,
}: {
  readonly onDone: () => void;
  readonly onCancel?: () => void;
}) {
  const [key, setKey] = useState("");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isUnknown = error instanceof ApiError && error.status === 401;
  const fault = error instanceof TypeError ? NOT_A_KEY : isUnknown ? UNKNOWN_KEY : null;
  const submit = async () => {
    setPending(true);
    setError(null);
    try {
      await signInWithKey(key.trim());
      onDone();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      noValidate
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) void submit();
      }}
    >
      <TextField
        label="API key"
        type="password"
        name="key"
        autoFocus
        value={key}
        onChange={setKey}
        fault={fault}
        hint="Slipway printed one at its first start."
      />
      <div role="alert">{error !== null && fault === null ? <Problem error={error} /> : null}</div>
      <Row>
        <Button type="submit" look="primary" isPending={isPending}>
          Sign in
        </Button>
        {onCancel === undefined ? null : <Button onClick={onCancel}>Not now</Button>}
      </Row>
    </form>
  );
}

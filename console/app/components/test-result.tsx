import type { NotificationTest } from "../../../sdk/src/generated/types.ts";
import { formatReceiverAnswer } from "../api/notification-rules.ts";
import { Notice } from "./problem.tsx";

/** What the receiver answered to a test of notifications. */
export function TestResult({ test }: { readonly test: NotificationTest }) {
  const answer = formatReceiverAnswer(test);
  return (
    <div role="status">
      <Notice
        title={test.isAccepted ? "The receiver accepted the test." : "The receiver did not accept the test."}
        isBad={!test.isAccepted}
        isGood={test.isAccepted}
      >
        {test.error === null ? null : (
          <p>
            {test.error.message} {test.error.action}
          </p>
        )}
        {answer === null ? null : (
          <p>
            Its answer: <code>{answer}</code>
          </p>
        )}
      </Notice>
    </div>
  );
}

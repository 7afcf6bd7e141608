import { Type } from "typebox";
import { CreatedAt, Id, Instant, Nullable, Text } from "../../http/schemas.ts";
import { endOf, type Session, type SessionLimits } from "./session.ts";

const FIELDS = {
  id: Id("ses", "Id of the session."),
  userId: Id("user", "The user who signed in."),
  apiKeyId: Nullable(
    Id("key", "The API key that was exchanged for it; null after a sign-in at an identity provider."),
  ),
  provider: Nullable(Text("The identity provider; null after an exchange of a key.", "corp")),
  isCurrent: Type.Boolean({ description: "Whether it is the session of this request.", examples: [true] }),
  sourceAddress: Nullable(Text("The address that the sign-in came from.", "203.0.113.7")),
  userAgent: Nullable(Text("The browser's user agent.", "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0")),
  createdAt: CreatedAt(),
  lastSeenAt: Instant("When it last made a request, to about a minute."),
  endsAt: Instant("When it ends if it makes no further request.", "2026-11-20T21:30:12.000Z"),
};

export const SessionSchema = Type.Object(FIELDS, {
  title: "Session",
  description: "A sign-in of a user in one browser.",
});

export const NewSessionSchema = Type.Object(
  {
    ...FIELDS,
    pageKey: Text(
      "The half of the session that is not in its cookie, for the header `slipway-page-key`. It is shown only once.",
      "4dPq7RkT2mXw9LzB5nYc8VgH3sJ",
    ),
  },
  { title: "NewSession", description: "A new session, with its page key." },
);

/** @param currentId of the credential that makes the request */
export function viewSession(session: Session, currentId: string, limits: SessionLimits) {
  return {
    ...session,
    isCurrent: session.id === currentId,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    endsAt: endOf(session, limits).toISOString(),
  };
}

import type { User } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";

/** The deletion of a user, with its question. @param isOwn whether it is the reader */
export function deleteUser({ id, name }: Pick<User, "id" | "name">, isOwn: boolean) {
  return {
    refreshes: ["users", "apiKeys"] as const,
    work: () => slipway.users.delete(id),
    question: {
      title: `Delete ${name}?`,
      consequences: [
        "All API keys of this user stop working within seconds, also the keys that programs use.",
        "All sessions of this user end.",
        ...(isOwn ? ["This is you: you are signed out."] : []),
      ],
      action: "Delete",
    },
  };
}

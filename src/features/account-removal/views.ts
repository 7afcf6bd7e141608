import { Type } from "typebox";
import { Id } from "../../http/schemas.ts";
import { LeftInAccountSchema, viewLeftInAccount } from "../cloud-accounts/views.ts";
import type { AbandonedAwsAccount } from "./delete-aws-account.ts";

export const AbandonedAwsAccountSchema = Type.Object(
  { id: Id("aws", "Id of the deleted connection."), leftInAccount: LeftInAccountSchema },
  { title: "AbandonedAwsAccount", description: "What an abandoned cloud account connection left behind." },
);

export function viewAbandonedAwsAccount({ id, left }: AbandonedAwsAccount) {
  return { id, leftInAccount: viewLeftInAccount(left) };
}

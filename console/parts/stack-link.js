/** @import { NewAwsAccount } from "../api-types.ts" */

/**
 * The API gives the link to the stack in its answer to the creation only, so this tab keeps it. It is no
 * secret: it holds the connection's id.
 * @param {NewAwsAccount} account
 */
export function keepStackLink({ id, cloudStack }) {
  sessionStorage.setItem(itemOf(id), cloudStack.consoleUrl);
}

/**
 * @param {string} accountId
 * @returns {string | null}
 */
export function findStackLink(accountId) {
  return sessionStorage.getItem(itemOf(accountId));
}

/** @param {string} accountId */
function itemOf(accountId) {
  return `slipway.stack.${accountId}`;
}

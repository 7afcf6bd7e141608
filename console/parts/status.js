import { h } from "../dom.js";

/** @typedef {"good" | "busy" | "todo" | "bad" | "calm"} Tone */

/** The API's statuses in words for people. @type {Readonly<Record<string, readonly [string, Tone]>>} */
const STATUSES = {
  AWAITING_CONNECTION: ["Awaiting connection", "todo"],
  CONNECTED: ["Connected", "good"],
  DISCONNECTED: ["Disconnected", "bad"],
  DRAFT: ["Draft", "calm"],
  PROVISIONING: ["Provisioning", "busy"],
  ACTIVE: ["Active", "good"],
  ERROR: ["Error", "bad"],
  DELETING: ["Deleting", "busy"],
  PENDING: ["Pending", "calm"],
  INPROGRESS: ["In progress", "busy"],
  BUILDING: ["Building", "busy"],
  DEPLOYING: ["Releasing", "busy"],
  SUCCESS: ["Success", "good"],
  BUILD_ERROR: ["Build failed", "bad"],
  CANCELLED: ["Cancelled", "calm"],
  SUPERSEDED: ["Superseded", "calm"],
  CREATING: ["Requesting certificate", "busy"],
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: ["Awaiting DNS records", "todo"],
  ATTACHING: ["Attaching", "busy"],
  ATTACHED: ["Attached", "good"],
  DETACHING: ["Detaching", "busy"],
  ERROR_ATTACHING: ["Could not attach", "bad"],
  ERROR_DETACHING: ["Could not detach", "bad"],
  OK: ["Set", "good"],
  STORED: ["Stored", "good"],
  PROCESSING: ["Processing", "busy"],
  REMOVING: ["Removing", "busy"],
};

/**
 * A status as a badge. Shape and words express it, not only colour; its title is the API's name for it.
 * @param {string} status
 * @param {string} [label] Replaces the usual label.
 */
export function badge(status, label) {
  const [words, tone] = STATUSES[status] ?? [status.replaceAll("_", " ").toLowerCase(), "calm"];
  return h("span", { class: `badge ${tone}`, title: status, "data-status": status }, label ?? words);
}

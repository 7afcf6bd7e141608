/**
 * An id for an element that another one refers to.
 * @param {string} prefix
 */
export function uniqueId(prefix) {
  return `${prefix}-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
}

/**
 * A key service outside of this machine (AWS KMS) that wraps keys. Slipway calls it only when a process starts, and
 * keeps the unwrapped key in memory. So an outage of the service stops no running process.
 */
export type KeyWrap = {
  /** The service's key, as the operator names it. */
  readonly keyId: string;
  /**
   * The service unwraps the key only for the same `name`.
   * @returns the wrapped key, and the service's name for its own key that wrapped it
   * @throws SealingError `KEY_SERVICE_UNUSABLE`
   */
  wrap(key: Uint8Array, name: string): Promise<{ readonly wrapped: Uint8Array; readonly wrappedBy: string }>;
  /** @throws SealingError `KEY_SERVICE_UNUSABLE` */
  unwrap(wrapped: Uint8Array, name: string, wrappedBy: string): Promise<Uint8Array<ArrayBuffer>>;
};

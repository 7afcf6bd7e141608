/**
 * A key service outside of this machine (AWS KMS) under which keys rest wrapped. It is asked when a process starts
 * and not again: what it unwraps is kept in memory, so that its outage stops nobody who runs.
 */
export type KeyWrap = {
  /** The service's key, as the operator names it. */
  readonly keyId: string;
  /**
   * `name` says which key it is, to the service too: it unwraps it for the same name alone.
   * @returns the wrapped key, and what the service calls its own key that did it
   * @throws SealingError `KEY_SERVICE_UNUSABLE`
   */
  wrap(key: Uint8Array, name: string): Promise<{ readonly wrapped: Uint8Array; readonly wrappedBy: string }>;
  /** @throws SealingError `KEY_SERVICE_UNUSABLE` */
  unwrap(wrapped: Uint8Array, name: string, wrappedBy: string): Promise<Uint8Array<ArrayBuffer>>;
};

/** A certificate with the certificates that lead to its authority, and its private key; both PEM. */
export type KeyPair = { readonly certificatePem: string; readonly privateKeyPem: string };

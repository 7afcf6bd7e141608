/** All keys here are this long: X25519 (RFC 7748), AES-256 and the HKDF-SHA-256 input. */
export const KEY_BYTES = 32;

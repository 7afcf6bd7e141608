/** See `build.js`. */
export function buildIfStale(): string | null;

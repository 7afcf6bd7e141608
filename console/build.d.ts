/** See `build.js`. */
export function buildIfStale(onBuild?: () => void): string | null;

/** Where `npm run test:aws` started moto; null in a run of `npm test`, which installs nothing but npm packages. */
export const MOTO_URL = process.env["SLIPWAY_TEST_MOTO"] ?? null;

export const NEEDS_MOTO = "npm run test:aws starts moto for this";

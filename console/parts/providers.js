/** The API's names for git providers, and what people read. @type {readonly (readonly [string, string])[]} */
export const PROVIDERS = [
  ["provider_a", "GitHub"],
  ["provider_b", "GitLab"],
  ["provider_b_self_hosted", "GitLab, self-hosted"],
];

/** @param {string} provider */
export function providerName(provider) {
  return PROVIDERS.find(([word]) => word === provider)?.[1] ?? provider;
}

import type { TemplateRecord, TemplateKind } from "./template.ts";

/** The offer of a zone's provider, as its settings say. The operator of the zone controls its content. */
export type DomainConnectOffer = {
  /** The provider's name for people. */
  readonly providerName: string;
  /** Where its owners agree, without a trailing slash; null if it does not know our template. */
  readonly applyAt: string | null;
  /** Where the zone's records are set by hand; null if it does not say so. */
  readonly panelUrl: string | null;
};

/** A domain that is to be set up. */
export type ConnectedDomain = {
  readonly name: string;
  /** The zone that it is in. */
  readonly zone: string;
  /** The record that proves control of the domain, and the record that routes its traffic. */
  readonly verification: TemplateRecord;
  readonly connection: TemplateRecord;
};

export interface DomainConnect {
  /**
   * What the provider of a zone offers for domains of a kind; null: nothing. Undefined if that cannot be found out now.
   * A fresh look remembers nothing. Ends within 8 s; never throws because of what others answer.
   */
  find(
    zone: string,
    kind: TemplateKind,
    options?: { readonly isFresh?: boolean },
  ): Promise<DomainConnectOffer | null | undefined>;
  /**
   * The signed address at which an owner agrees that the provider sets a domain's records; null if the template does
   * not fit them.
   * @param options where the provider leads back to, the state that comes back with it, and whether the name's traffic
   * stays where it is
   */
  applyUrl(
    applyAt: string,
    domain: ConnectedDomain,
    options: {
      readonly redirectUri: string;
      readonly state: string;
      readonly isVerificationOnly: boolean;
    },
  ): string | null;
}

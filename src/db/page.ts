/** What a store needs for one page: rows after this key, one more than asked, to know whether more follow. */
export type Page = { readonly limit: number; readonly after: string | null };

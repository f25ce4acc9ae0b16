/** Props of the counter's pages: the rest of the address. */

export interface PageProps {
  /** The part of the address after the page's name: ids, tabs. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

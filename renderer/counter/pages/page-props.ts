/** What every page of the counter is given of its address. */

export interface PageProps {
  /** The part of the address after the page's name: ids, tabs. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

/** Messages between `npm run bench:connectors` and its source. */
export interface SourceSetup {
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string }
  /** PEM of the key that verifies the signatures of the requests. */
  readonly publicKey: string
}

export type SourceMessage =
  | { readonly url: string }
  | {
      readonly requestId: string
      /** Time from the arrival of the request to the end of the answer. */
      readonly milliseconds: number
    }

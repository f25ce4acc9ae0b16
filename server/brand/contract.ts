/** Answer of `GET /brand/brand.json`: the organisation's brand for the screens; null without one. */
export interface BrandView {
  readonly name: string
  /** A path on this server. */
  readonly logo: string
  /** Language → welcome sentence of the first screen. */
  readonly welcome: Readonly<Record<string, string>>
}

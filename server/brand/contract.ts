/** What the screens are told of the organisation whose face they wear: `GET /brand/brand.json`, null without one. */
export interface BrandView {
  readonly name: string
  /** Path on this server. */
  readonly logo: string
  /** Language → sentence of the first screen. */
  readonly welcome: Readonly<Record<string, string>>
}

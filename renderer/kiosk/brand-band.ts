/** The organisation's logo and name above every screen. Empty without a brand. */
import type { JourneyView } from '../../server/kiosk/contract/index.ts'
import { h } from '../dom.ts'
import { isolateText } from './layout.ts'

type Brand = NonNullable<JourneyView['brand']>

interface BrandBand {
  readonly element: HTMLElement
  show(brand: Brand | null): void
}

export function createBrandBand(): BrandBand {
  const element = h('p', { class: 'brand-band', hidden: true })
  let shown: Brand | null = null
  return {
    element,
    show(brand) {
      if (brand === shown) return
      shown = brand
      element.hidden = brand === null
      element.replaceChildren(
        ...(brand ? [brandLogo(brand), isolateText(brand.name, 'auto', 'brand-name')] : []),
      )
    },
  }
}

/** The empty alt text avoids that a screen reader repeats the name beside the logo. */
export function brandLogo({ logo }: Brand): HTMLElement {
  return h('span', { class: 'brand-logo' }, h('img', { src: logo, alt: '' }))
}

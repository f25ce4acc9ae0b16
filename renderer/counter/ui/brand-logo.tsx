/** The organisation's logo on its white plate. The empty alt text avoids repeating the name beside it. */
import type { BrandView } from '../../../server/brand/contract.ts'

export function BrandLogo({ brand }: { readonly brand: BrandView }) {
  return (
    <span class="brand-logo">
      <img src={brand.logo} alt="" />
    </span>
  )
}

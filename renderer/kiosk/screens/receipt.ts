/**
 * The printed receipt: a thermal roll of 80 mm, or A5. Reference, code, QR, place, time and next steps. It
 * contains no personal data and no result.
 */
import type { Receipt } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { brandLogo } from '../brand-band.ts'
import { isolateText } from '../layout.ts'
import { openingHours } from '../opening-hours.ts'
import type { ScreenContext } from '../screen-context.ts'
import { nameOrganisation } from './organisation.ts'
import { qrPicture } from './qr-picture.ts'

/** The screen hides it; print.css shows it on paper. */
export function drawReceipt({ state, t, formats }: ScreenContext, receipt: Receipt): HTMLElement {
  const organisation = nameOrganisation({ state, t })
  const brand = state.journey?.brand ?? null
  const hours = openingHours(state)
  const [date = '', time = ''] = receipt.issuedAt.split('T')
  return h(
    'div',
    { class: 'receipt', 'aria-hidden': 'true' },
    brand ? brandLogo(brand) : null,
    h('p', { class: 'receipt-head' }, organisation),
    h('p', {}, t('receipt.title')),
    h('div', { class: 'receipt-qr' }, qrPicture(receipt.qr, '')),
    h('p', { class: 'receipt-label' }, t('result.reference')),
    h('p', { class: 'receipt-reference' }, isolateText(receipt.reference)),
    h('p', { class: 'receipt-label' }, t('result.code')),
    h('p', { class: 'receipt-code' }, isolateText(receipt.code)),
    h('p', {}, `${formats.date(date)}, `, isolateText(time)),
    h('p', {}, state.journey?.kiosk ?? ''),
    h('p', { class: 'receipt-next' }, t('receipt.next', { organisation })),
    hours ? h('p', {}, t('place.hours', { hours })) : null,
    h('p', {}, t('receipt.redress')),
    state.journey?.mode === 'test' ? h('p', { class: 'receipt-test' }, t('mode.test')) : null,
  )
}

/** Reference and code for the applicant to write down, without personal data. */
import type { Receipt } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { isolateText } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'

/** @param ids marks the two values, once per page. */
export function receiptWords(
  t: ScreenContext['t'],
  { reference, code }: Pick<Receipt, 'reference' | 'code'>,
  ids: { readonly reference?: string; readonly code?: string } = {},
): HTMLElement {
  return h(
    'dl',
    { class: 'ticket-words' },
    h('dt', {}, t('result.reference')),
    h('dd', { class: 'reference', id: ids.reference }, isolateText(reference)),
    h('dt', {}, t('result.code')),
    h('dd', { class: 'code', id: ids.code }, isolateText(code)),
  )
}

/**
 * The result: the page has the same shape for every outcome, so that a bystander cannot recognise it from afar.
 * Then the receipt.
 */
import type { Outcome, ResultStep } from '../../../server/kiosk/contract/index.ts'
import { icon } from '../../design/art.ts'
import { h } from '../../dom.ts'
import type { TextKey } from '../../locales/index.ts'
import { button, fact, layout, row, setWorking } from '../layout.ts'
import { openingHours } from '../opening-hours.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'
import { nameOrganisation } from './organisation.ts'
import { qrPicture } from './qr-picture.ts'
import { openLargeReceipt } from './receipt-large.ts'
import { receiptWords } from './receipt-words.ts'
import { drawReceipt } from './receipt.ts'

const ICON_OF: Readonly<Record<Outcome, 'done' | 'person' | 'clock'>> = {
  CONFIRMED: 'done',
  PERSON: 'person',
  LATER: 'clock',
}

export const result: Screen = (context) => {
  const { state, t, acts } = context
  const step = state.visit?.step
  if (step?.kind !== 'result') return { element: h('div', {}), update: () => false }
  const { outcome, receipt } = step
  const organisation = nameOrganisation(context)
  const hours = openingHours(state)
  const mayPrint = state.journey?.receipt.print !== false
  let isPrinted = false
  const large = (hasFailed: boolean) => {
    // An applicant who asks for this after printing got no paper: count it for the staff's charts.
    if (hasFailed || isPrinted) acts.note('FAULT', 'PRINTER_NO_PAPER')
    openLargeReceipt(context, receipt, { hasFailed })
  }
  const print = () => {
    isPrinted = true
    acts.moreTime()
    void acts.print().then((printed) => {
      if (printed === false && element.isConnected) large(true)
    })
  }
  const element = layout({
    name: 'result',
    // An applicant who has to go to the counter has not finished.
    title: t(outcome === 'PERSON' ? 'result.title.PERSON' : 'result.title'),
    words: [
      h(
        'p',
        { class: 'outcome', id: 'outcome', 'data-outcome': outcome },
        icon(ICON_OF[outcome]),
        h('span', {}, t(`result.${outcome}`)),
      ),
    ],
    look: [
      h(
        'div',
        { class: 'paged' },
        // The next action is on the first page, whatever follows it.
        h('p', { id: 'next', class: 'next' }, t(nextKey(step), { organisation })),
        ticket(context, step),
        h('p', { class: 'quiet' }, t('result.write')),
        // Shown for every outcome, because a pager on one of them would reveal it from afar.
        hours ? fact('clock', t('place.hours', { hours })) : null,
        step.offline ? h('p', {}, t('result.offline', { organisation })) : null,
      ),
    ],
    hands: [
      row(
        mayPrint ? button('equal', t('result.print'), print, { iconName: 'print' }) : null,
        button('equal', t(mayPrint ? 'result.no-paper' : 'result.large'), () => large(false), {
          id: 'result-large',
          iconName: mayPrint ? undefined : 'camera',
        }),
      ),
      button('primary', t('result.done'), () => acts.done(), { id: 'result-done', calls: true }),
      row(
        h('p', { class: 'quiet' }, t('result.clears')),
        button('secondary', t('result.more'), () => acts.moreTime(), { iconName: 'clock' }),
      ),
      drawReceipt(context, receipt),
    ],
  })
  return {
    element,
    update(next) {
      setWorking(element, next.working)
      const now = next.visit?.step
      return now?.kind === 'result' && now.receipt.reference === receipt.reference && now.outcome === outcome
    },
  }
}

export function nextKey({ outcome, isCaptured }: Pick<ResultStep, 'outcome' | 'isCaptured'>): TextKey {
  return outcome === 'PERSON' && !isCaptured ? 'result.next.PERSON.new' : `result.next.${outcome}`
}

/** Reference, code and QR for the applicant to take home, without personal data. */
function ticket({ t }: ScreenContext, { receipt }: ResultStep): HTMLElement {
  return h(
    'div',
    { class: 'ticket' },
    receiptWords(t, receipt, { reference: 'reference', code: 'code' }),
    h('div', { class: 'ticket-qr' }, qrPicture(receipt.qr, t('result.qr'))),
  )
}

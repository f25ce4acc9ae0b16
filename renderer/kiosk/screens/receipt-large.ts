/**
 * The receipt without paper: code, reference and QR in the largest size that the screen allows, to be written
 * down or photographed. Only the applicant knows whether paper came out: a printer that took the job may be
 * empty.
 */
import type { Receipt } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { openDialog } from '../dialog.ts'
import type { OpenDialog } from '../dialog.ts'
import type { ScreenContext } from '../screen-context.ts'
import { qrPicture } from './qr-picture.ts'
import { receiptWords } from './receipt-words.ts'

/** @param hasFailed the printer reported the failure. */
export function openLargeReceipt(
  { t }: Pick<ScreenContext, 't'>,
  receipt: Receipt,
  { hasFailed }: { readonly hasFailed: boolean },
): OpenDialog {
  return openDialog({
    title: t('result.large.title'),
    content: [
      h(
        'div',
        { class: 'paged reading' },
        hasFailed ? h('p', {}, t('result.large.failed')) : null,
        h('div', { class: 'ticket-large' }, qrPicture(receipt.qr, t('result.qr')), receiptWords(t, receipt)),
        h('p', {}, t('result.write')),
      ),
    ],
    choices: [{ text: t('result.large.close'), kind: 'primary' }],
  })
}

/** Takes the report of a voice gateway about a call, from a signed callback. A report that comes twice changes nothing. */
import type { CallbackHeaders } from '../../connectors/biometrics/biometric-server.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { noteDeliveryReport } from './verify-contact.ts'

/** Throws `callback_refused` for a body that is not signed, and `malformed_body`. */
export async function takeCallReport(
  ctx: Context,
  headers: CallbackHeaders,
  body: Uint8Array,
): Promise<void> {
  const report = ctx.carriers.landline.readReport(headers, body)
  if (report === 'unsigned') throw new AppError('callback_refused')
  if (report === 'malformed') throw new AppError('malformed_body')
  if (report) noteDeliveryReport(ctx, 'landline', report)
}

/** A passcode on its way to a carrier. */
import type { PasscodeMessage } from '../../server/connectors/carrier.ts'

export const aMessage = (over: Partial<PasscodeMessage> = {}): PasscodeMessage => ({
  to: '+33639980001',
  text: '012345 is your code',
  language: 'en',
  requestId: '01890a5d-ac96-874b-8cce-000000000001',
  ...over,
})

/** Checks whether an address has the form of its country (ADDRESS_FORM). Does not check that it exists. */
import { judgeAddressForm, normaliseAddress } from '../../proofing/address-form.ts'
import { dataStep } from '../subject.ts'

export const addressForm = dataStep('address-form', ({ content: { address } }, { addressFormats }) => ({
  findings: address ? [judgeAddressForm(normaliseAddress(address, addressFormats))] : [],
  models: [],
}))

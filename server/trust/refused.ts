/** The reasons for refusing a file of the trust store. */

/** A sentence for the operator: what is wrong, and what to do. It contains no byte of the file. */
export class TrustRefused extends Error {
  override readonly name = 'TrustRefused'
}

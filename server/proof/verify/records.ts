/**
 * Reads the verifications that an entry of verificationAndEvaluationDetails.json states, in either form of the archive.
 */

/**
 * Joins each verification with its measurements and models. Since form 1.1 `counterproof.verifications` holds these
 * beside the spec's members, in the same order; in form 1.0 the verification itself held them.
 */
export function withMeasurements<Check extends object, Measured extends object>(entry: {
  readonly verificationDetails: readonly Check[]
  readonly counterproof?: { readonly verifications?: readonly Measured[] | undefined } | undefined
}): readonly (Partial<Measured> & Check)[] {
  const { verificationDetails, counterproof } = entry
  return verificationDetails.map((check, index) => ({ ...counterproof?.verifications?.[index], ...check }))
}

/** The verifications that one entry of verificationAndEvaluationDetails.json states, in whichever form the archive has. */

/**
 * Each verification with what was measured by which models. Since form 1.1 the entry holds these beside the members of the spec, in
 * `counterproof.verifications`, in the same order; form 1.0 had them in the verification itself.
 */
export function withMeasurements<Check extends object, Measured extends object>(entry: {
  readonly verificationDetails: readonly Check[]
  readonly counterproof?: { readonly verifications?: readonly Measured[] | undefined } | undefined
}): readonly (Partial<Measured> & Check)[] {
  const { verificationDetails, counterproof } = entry
  return verificationDetails.map((check, index) => ({ ...counterproof?.verifications?.[index], ...check }))
}

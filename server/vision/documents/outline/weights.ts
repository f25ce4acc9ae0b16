/**
 * Weights of the features in score-quad.ts, in its order: a logistic model with "none" as an additional choice at zero.
 * Never fitted on real documents. The proposer is not a feature: with the locator network's confidence as a feature, its
 * slightly inaccurate corners won over the true ones (0.905 against 0.964 of 220 scenes correct, 21 November 2026).
 */

/** Proposals from edges only. Fitted on synthetic tables and rendered scenes. */
export const WITHOUT_NETWORK: readonly number[] = [
  -9.13, 4.402, -1.718, 0.698, -2.702, 0.058, 0.963, -8.985, -0.397, 0.024, -0.605, 7.496, -1.989, 3.771,
]

/** One part of the fit of models/document/fit_outline.py and three parts of the one above. */
export const WITH_NETWORK: readonly number[] = [
  -8.955, 4.374, -1.703, 0.597, -2.318, 0.055, 0.917, -10.108, -0.643, 0.041, -0.595, 7.877, -1.824, 3.543,
]

/** Lower scores are no document. In 74 rendered scenes without one the best candidate has −0.90. */
export const MIN_SCORE = -0.5

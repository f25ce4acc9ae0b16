/**
 * How the features of a quadrilateral are weighed (score-quad.ts, in its order): a logistic model with one more choice,
 * "none of them", at zero. Fitted on rendered scenes of tables with and without a document, never on real documents.
 */
export interface OutlineWeights {
  readonly weights: readonly number[]
  /** Scores below it are no document. */
  readonly threshold: number
}

/** Edges alone. */
export const WITHOUT_NETWORK: OutlineWeights = {
  weights: [
    -9.13, 4.402, -1.718, 0.698, -2.702, 0.058, 0.963, -8.985, -0.397, 0.024, -0.605, 7.496, -1.989, 3.771,
    0.0, 0.0,
  ],
  threshold: -0.5,
}

/** Edges and the locator network together. */
export const WITH_NETWORK: OutlineWeights = {
  weights: [
    -7.949, 3.395, -1.627, 0.229, -1.254, -0.177, 0.228, -3.992, 0.13, -0.282, -0.049, 6.817, -0.975, 2.761,
    3.155, 0.0,
  ],
  threshold: -0.5,
}

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
    -9.904, 4.187, -1.839, 0.765, -3.574, 0.14, 0.89, -8.099, -0.513, -0.079, -0.628, 7.715, -3.221, 4.572, 0,
  ],
  threshold: -0.5,
}

/** Edges and the locator network together. */
export const WITH_NETWORK: OutlineWeights = {
  weights: [
    -8.456, 3.997, -1.668, 0.248, -2.737, 0.021, 0.338, -6.433, -0.657, -0.22, -0.39, 7.709, -2.419, 3.133,
    2.046,
  ],
  threshold: -0.5,
}

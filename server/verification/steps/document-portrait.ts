/** Extracts the holder's portrait printed on the document: the reference for the live portrait. */
import { documentStep } from '../subject.ts'

export const documentPortrait = documentStep('document-portrait', async (_subject, tools) => {
  const sides = await tools.sides()
  const portraits = sides.flatMap(({ portrait }, captureIndex) =>
    portrait ? [{ ...portrait, captureIndex }] : [],
  )
  const models = sides.flatMap((side) => side.models)
  const best = portraits.sort((a, b) => b.widthPx * b.heightPx - a.widthPx * a.heightPx)[0]
  if (!best) return { findings: [{ check: 'DOCUMENT_PORTRAIT', outcome: 'failed' }], models }
  return {
    findings: [
      {
        check: 'DOCUMENT_PORTRAIT',
        outcome: 'passed',
        measured: {
          detectionScore: best.detectionScore,
          widthPx: best.widthPx,
          heightPx: best.heightPx,
          // Index of the picture from which the portrait was cut, in the order front, back.
          captureIndex: best.captureIndex,
        },
      },
    ],
    models,
    documentPortrait: best.jpeg,
  }
})

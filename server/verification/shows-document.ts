/** Whether anything in the pictures tells that they show an identity document: an outline alone does not, a book has one. */
import type { StepTools } from './subject.ts'

export async function showsDocument(tools: StepTools): Promise<boolean> {
  // Neither an upright sheet of paper nor anything else without them has these.
  if ((await tools.sides()).some(({ mrzBand, portrait }) => mrzBand !== null || portrait !== null))
    return true
  const { classification, licence, page } = await tools.document()
  if (classification.layout === 'NONE') return false
  return (
    licence !== null ||
    classification.evidence.some((evidence) => evidence === 'words' || evidence === 'template') ||
    page.fields.some(({ foundBy }) => foundBy !== 'form')
  )
}

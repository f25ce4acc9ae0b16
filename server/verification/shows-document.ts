/** Tells whether the pictures show an identity document. An outline alone is no proof: a book has one too. */
import type { StepTools } from './subject.ts'

export async function showsDocument(tools: StepTools): Promise<boolean> {
  // Only documents have an MRZ band or a printed portrait; a sheet of paper has neither.
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

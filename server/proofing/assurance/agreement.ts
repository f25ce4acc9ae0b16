/** Do two pieces of evidence speak of the same person? Names of attributes come out of here, never values. */
import type { Evidence } from '../evidence.ts'

/** What of an evidence is looked at: the same from the database and from an archive. */
export type Statement = Pick<Evidence, 'family' | 'type' | 'content'>

/** The attributes in which the two disagree, sorted; empty where they agree or cannot be compared. Symmetric. */
export function disagreeingAttributes(_a: Statement, _b: Statement): readonly string[] {
  return []
}

/** A name stands in it that somebody vouches for, so it can be the name reference. */
export function statesName({ family }: Statement): boolean {
  return family === 'IDDOCUMENT' || family === 'TRUSTED_ID_CLAIM'
}

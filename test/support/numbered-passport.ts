/** A passport that an issuing source knows by one number more than it shows, and the home of its holder. */
import { buildTd3 } from '../../server/proofing/mrz/build.ts'
import { HOLDER, HOLDER_PAGE, picture } from '../server/app/scripted-vision.ts'
import { NUMBERED } from './issuing-source.ts'

export const NUMBER = NUMBERED.values.documentNumber

export const numberedPassport = (): Uint8Array =>
  picture({
    shows: 'document',
    lines: buildTd3({ ...HOLDER, documentNumber: NUMBER }),
    face: 'A',
    page: HOLDER_PAGE.map((line) => (line === HOLDER.documentNumber ? NUMBER : line)),
  })

/** An entry of a register of addresses. */
export const HOME = {
  country: 'UTO',
  values: {
    streetLine1: '12 LONG ST',
    postcode: '1000',
    city: 'UTOPIA CITY',
    givenNames: 'Anna Maria',
    surname: 'Eriksson',
  },
}

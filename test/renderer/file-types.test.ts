/** The types that the file choosers offer, and files that the appliance opens although the browser cannot. */
import { expect, test } from 'vitest'
import { DOCUMENT_FILES, isOpenedByAppliance, PICTURE_FILES } from '../../renderer/file-types.ts'

test.each([
  ['a scan', { type: 'application/pdf' }, true],
  ['a photograph as phones keep it', { type: 'image/heic', name: 'IMG_0001.HEIC' }, true],
  ['one under its other name', { type: 'image/heif' }, true],
  ['a TIFF', { type: 'image/tiff' }, true],
  ['a HEIC on a system that knows no such type', { type: '', name: 'IMG_0001.HEIC' }, true],
  ['a TIFF there', { type: '', name: 'scan.tif' }, true],
  ['a picture that the browser shows', { type: 'image/jpeg', name: 'passport.jpg' }, false],
  ['a text', { type: 'text/plain', name: 'passport.pdf' }, false],
  ['a file without type and ending', { type: '', name: 'passport' }, false],
  ['bytes without a name', { type: '' }, false],
])('%s', (_, file, isOpened) => {
  expect(isOpenedByAppliance(file)).toBe(isOpened)
})

test('a portrait is chosen among pictures, a document among scans too', () => {
  expect(PICTURE_FILES).not.toMatch(/pdf|hei|tif/)
  for (const wanted of ['image/jpeg', 'image/heic', 'image/tiff', 'application/pdf', '.heic'])
    expect(DOCUMENT_FILES.split(',')).toContain(wanted)
})

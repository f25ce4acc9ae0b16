/**
 * Lists what the package holds beside npm packages: models, fonts, data, and libraries that are compiled into an npm package.
 * npm knows none of them. Models and their licences are in models/manifest.json.
 */
export interface BundledPart {
  readonly name: string
  readonly kind: 'library' | 'file' | 'data'
  /** An SPDX expression. */
  readonly licence: string
  /** The path below /usr/lib/counterproof, or the npm package that contains it. */
  readonly inside: string
  readonly origin: string
}

export const BUNDLED_PARTS: readonly BundledPart[] = [
  {
    name: 'OCR-B',
    kind: 'file',
    licence: 'LicenseRef-fonts-ocr-b',
    inside: 'resources/fonts/OCRB.otf',
    origin:
      'Debian fonts-ocr-b 0.3. Norbert Schwarz: "You may freely use, modify and/or distribute this file, without limitation." ' +
      'Matthew Skala: public domain',
  },
  {
    name: 'shapes of MRZ characters',
    kind: 'data',
    licence: 'Apache-2.0',
    inside: 'resources/zone-shapes.png',
    origin: 'drawn by this product in OCR-B, Liberation (OFL-1.1) and DejaVu (Bitstream-Vera); holds no font',
  },
  {
    name: 'specimen documents',
    kind: 'data',
    licence: 'Apache-2.0',
    inside: 'resources/specimens',
    origin: 'rendered by this product, see resources/specimens/README.md',
  },
  {
    name: 'PDFium',
    kind: 'library',
    licence: 'BSD-3-Clause AND Apache-2.0',
    inside: '@hyzyla/pdfium',
    origin: 'https://pdfium.googlesource.com/pdfium',
  },
  {
    name: 'libheif',
    kind: 'library',
    licence: 'LGPL-3.0-or-later',
    inside: 'libheif-js',
    origin: 'https://github.com/strukturag/libheif',
  },
  {
    name: 'libde265',
    kind: 'library',
    licence: 'LGPL-3.0-or-later',
    inside: 'libheif-js',
    origin: 'https://github.com/strukturag/libde265',
  },
  {
    name: 'OpenJPEG',
    kind: 'library',
    licence: 'BSD-2-Clause',
    inside: '@cornerstonejs/codec-openjpeg',
    origin: 'https://github.com/uclouvain/openjpeg',
  },
  {
    name: 'Tesseract',
    kind: 'library',
    licence: 'Apache-2.0',
    inside: 'tesseract.js-core',
    origin: 'https://github.com/tesseract-ocr/tesseract',
  },
  {
    name: 'Leptonica',
    kind: 'library',
    licence: 'BSD-2-Clause',
    inside: 'tesseract.js-core',
    origin: 'https://github.com/DanBloomberg/leptonica',
  },
  {
    name: 'ZXing-C++',
    kind: 'library',
    licence: 'Apache-2.0',
    inside: 'zxing-wasm',
    origin: 'https://github.com/zxing-cpp/zxing-cpp',
  },
  {
    name: 'ONNX Runtime',
    kind: 'library',
    licence: 'MIT',
    inside: 'onnxruntime-node',
    origin: 'https://github.com/microsoft/onnxruntime',
  },
  {
    name: 'SQLite',
    kind: 'library',
    licence: 'blessing',
    inside: 'better-sqlite3',
    origin: 'https://www.sqlite.org',
  },
  {
    name: 'PostgreSQL',
    kind: 'library',
    licence: 'PostgreSQL',
    inside: '@electric-sql/pglite',
    origin: 'https://www.postgresql.org',
  },
]

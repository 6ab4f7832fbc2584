import { eraseRules } from './rules';

const [WIDTH, HEIGHT] = [400, 300];

/** White paper with a number in black strokes, and a rule beside it. */
function makePage(draw: (set: (x: number, y: number) => void) => void) {
  const data = Buffer.alloc(WIDTH * HEIGHT, 250);
  draw((x, y) => {
    data[y * WIDTH + x] = 20;
  });
  return { data, width: WIDTH, height: HEIGHT };
}

const at = ({ data }: { data: Buffer }, x: number, y: number) => data[y * WIDTH + x]!;

test('a rule between cells is erased, the strokes beside it stay', () => {
  const page = makePage((set) => {
    for (let y = 20; y < 280; y++) for (let x = 200; x < 203; x++) set(x, y);
    for (let y = 100; y < 140; y++) for (let x = 190; x < 195; x++) set(x, y);
  });
  const erased = eraseRules(page);
  expect(at(erased, 201, 120)).toBeGreaterThan(200);
  expect(at(erased, 192, 120)).toBe(20);
  expect(at(page, 201, 120)).toBe(20);
});

test('what is short or broad is no rule', () => {
  const page = makePage((set) => {
    for (let y = 20; y < 100; y++) for (let x = 100; x < 104; x++) set(x, y);
    for (let y = 20; y < 280; y++) for (let x = 200; x < 240; x++) set(x, y);
  });
  expect(eraseRules(page)).toBe(page);
});

/** Legal forms, which only companies have behind their names. */
const LEGAL_FORM =
  /(?:^|[\s,])(?:gmbh|g\.m\.b\.h\.?|mbh|ag|kg|ohg|ug|e\.\s?k\.?|e\.\s?v\.?|se|ltd\.?|limited|llc|l\.l\.c\.|inc\.?|incorporated|corp\.?|corporation|plc|llp|(?<=\s)lp|co\.|company|sdn\.?|bhd\.?|pte|pty|s\.?a\.?r\.?l\.?|sas|s\.a\.s\.?|sasu|eurl|s\.?\s?a\.?|sci|scop|s\.\s?r\.\s?o\.?|spol\.?|a\.\s?s\.?|k\.\s?s\.?|v\.o\.s\.?|z\.\s?s\.?|sp\.\s?z\s?o\.?\s?o\.?|s\.?p\.?a\.?|s\.?r\.?l\.?|s\.?n\.?c\.?|s\.a\.s\.?|s\.?l\.?u?\.?|s\.?c\.?|lda\.?|unipessoal|b\.?v\.?|n\.?v\.?|v\.?o\.?f\.?|aps|a\/s|i\/s|ab|hb|as|asa|oy|oyj|kft\.?|zrt\.?|nyrt\.?|bt\.?|s\.?r\.?l\.?|d\.o\.o\.?|jdoo|gbr|partg|vvag|a\.\s?g\.|e\.\s?u\.|ges\.?m\.?b\.?h\.?|sp\.\s?[kj]\.|s\.?a\.?u\.?|ltda\.?|c\.\s?b\.|s\.\s?coop\.?|s\.?c\.?r\.?l\.?|s\.?r\.?l\.?s\.?|pvt\.?|private limited|oü|uab|genossenschaft|stiftung|verlag|enterprise|enterprises|trading|holdings?|group|hotel|restaurant|store|stores|services|solutions|industries)(?=$|[\s,.)&-])/iu;

/** Those that are other words in other letters: "eG" and "EG", "EARL" and "Earl". */
const WRITTEN_FORM =
  /(?:^|[\s,])(?:eG|e\. ?G\.|OG|KGaA|S[àÀ](?:rl|RL)|S\. ?à ?r\. ?l\.|SCEA|EARL|GAEC|GFA|SELARL|SELAS|SCP|[Ss]oc\. ?[Cc]oop\.?|[Ss]ocietà [Cc]ooperativa|BVBA|CVBA|P\.S\.A\.|družstvo|Kkt\.?|ek\. ?för\.?|K\/S|P\/S|IVS|A\.?[Mm]\.?[Bb]\.?[Aa]\.?|ANS|ENK|Ky|T:?mi|osk|PFA|CIC|DAC|CLG|PLLC|P\.C\.|d\. ?d\.|j\.d\.o\.o\.|obrt|SIA|EOOD|OOD|IKE|E\.P\.E\.|FZE|FZCO|FZ-LLC|W\.L\.L\.|e?hf\.)(?=$|[\s,.)&-])/u;

const POSTAL =
  /(?:\b(?:[A-Z]{1,2}[- ])?\d{4,5}[ ,]+\p{Lu}\p{L}|\b\d{3} \d{2}[ ,]+\p{Lu}|\b\d{2}-\d{3} \p{Lu}|\b\d{4} ?[A-Z]{2}\b[ ,]+\p{Lu}|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2}\.?,? \d{5}(?:-\d{4})?\b|\b\d{4}-\d{3} \p{Lu}|\p{L},? \d{5}\b|\b[A-Z]\d[A-Z] \d[A-Z]\d\b|\b(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT)[ ,]+\d{4}\b|\p{L}{3}\s?[-–]\s?\d{6}\b|\b\d{6}[ ,]+\p{Lu}\p{Ll}|\bSingapore \d{6}\b|\b(?:Mumbai|Chennai|Bengaluru|Bangalore|Hyderabad|Kolkata|Pune) \d{6}\b|\b[A-Z]\d[\dW] [A-Z0-9]{4}\b|\b\d{5}-\d{3}\b|\b(?:LT|LV)-\d{4,5}\b|\bC\.? ?P\.?:? ?\d{5}\b)/u;
/** Indian states before a postcode of six digits, in whatever letters. */
const INDIAN_PLACE =
  /\b(?:andhra pradesh|arunachal pradesh|assam|bihar|chandigarh|chhattisgarh|delhi|goa|gujarat|haryana|himachal pradesh|jammu (?:and|&) kashmir|jharkhand|karnataka|kerala|madhya pradesh|maharashtra|manipur|meghalaya|mizoram|nagaland|odisha|puducherry|punjab|rajasthan|sikkim|tamil nadu|telangana|tripura|uttar pradesh|uttarakhand|west bengal)[ ,-]{1,3}\d{3} ?\d{3}\b/i;
/** "2261 Market Street": the number of a house, not of a place. */
const HOUSE =
  /^\d{1,5}[A-Z]? (?:[\p{L}\d][\p{L}\d.'-]* ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|blvd|boulevard|way|court|ct|square|sq|place|pl|parkway|pkwy|highway|hwy|terrace|close|crescent|row|park)\.?,?$/iu;
/** "HRA 581204 Freiburg", "P.O. Box 61188": the number of a register or a box, not of a place. */
const REGISTER =
  /\b(?:(?:(?:P\.? ?O\.? ?)?Box|Postfach|Postboks|Postbus|Apartado|BP)\.? ?(?:\d{1,3}(?: \d{2,3})*(?!\d)|\d+)|(?:HR[AB]|FN|VR|GnR|PR|RCS|REA|KRS|BDO|REGON|SIRET|SIREN)\.?(?: Nr\.?| n°)? ?[\d ]*\d)/g;
/** "12 November 2024, Leeds", "12.11.2024 Leeds": the year of a date is no postcode. */
const YEAR = /(?<=(?<!\d)\d{1,2}(?:\.? \p{L}{3,10}\.? |[./]\d{1,2}[./]))(?:19|20)\d{2}(?!\d)/gu;
/** "Lot 2111 Jalan Permas", "1180 rue des Lilas", "1188, Sala 402": the number of a house before a word for streets or rooms. */
const HOUSE_BEFORE =
  /(?<!\d)\d{4,5},? (?=(?:jalan|jln|jl|lorong|rue|avenue|boulevard|chemin|route|impasse|via|viale|calle|avenida|rua|sala|loja|apto|apartamento|bloco|andar|oficina|of|piso|int|interior|local|depto|dpto|bodega|col|colonia|mza)\b)/giu;
/** Whether a line has a postcode with its place, as some country writes it. */
export const isPostal = (text: string): boolean =>
  (POSTAL.test(text.replace(REGISTER, '').replace(YEAR, '').replace(HOUSE_BEFORE, '')) && !HOUSE.test(text)) ||
  INDIAN_PLACE.test(text);
/** Words of streets, of text without accents: `\b` takes letters with accents for borders of words. */
const STREET =
  /(?:stra(?:ß|ss)e|str\.|\bstr\b|\bstreet\b|\bst\.|\bst\b|\broad\b|\brd\b|\bavenue\b|\bave\b|\blane\b|\bdrive\b|\bdr\b(?!\.?\s)|\bblvd\b|\bboulevard\b|\bbd\b|\bway\b|\bcourt\b|\bsquare\b|\bplace\b|\brue\b|\bchemin\b|\ballee\b|\bimpasse\b|\bquai\b|\broute de\b|\bulice\b|\bulica\b|\bul\.|\bal\.|\bos\.|\bvia\b|\bviale\b|\bpiazza\b|\bcorso\b|\blargo\b|\bvicolo\b|\bcalle\b|\bc\/|\bavda\b|\bplaza\b|\bpza\b|\bpaseo\b|\bctra\b|\bcarretera\b|\bpol(?:igono|\.) ind|\b[pz]\. ?i\. |\bparque (?:empresarial|tecnologico|industrial)\b|platz\b|weg\b|gasse\b|allee\b|(?:ring|damm|ufer|markt|hof) \d|plein\b|laan\b|straat\b|gracht\b|singel\b|kade\b|gade\b|vej\b|straede\b|gatan?\b|vagen\b|gate\b|vei(?:en)?\b|katu\b|(?:tie|kuja|polku) \d|\butca\b|\but\b|\bu\. ?\d|\bter \d|\bkorut\b|\bnam\b|\bnamesti|\btrida\b|\bcesta\b|\bbulevardul\b|\bcalea\b|\bsos\.|\baleea\b|\bjalan\b|\bj[li]n\b|\bjl\b|\btaman\b|\blorong\b|\bsuite\b|\bunit\b|\bfloor\b|\bp\.? ?o\.? ?box\b|\bbox \d|postfach|\bpostboks\b|\bpostbus\b|\bpl \d|\bapartado\b|\bhighway\b|\bindustrial (?:estate|area|park)\b|\bnagar\b|\bmarg\b|\bsalai\b|\bchowk\b|\bparkway\b|\butja\b|\bsetany\b|\bfasor\b|\bkrt\b|\bsugarut\b|\brakpart\b|\bsplaiul\b|\bintrarea\b|\bb-dul\b|\bglorieta\b|\bronda\b|\brambla\b|\bcarrer\b|\bcamino\b|\blocalita\b|\bfraz\.|\bcontrada\b|\bv\.le\b|\bp\.?zza\b|\bc\.so\b|\bzone (?:industrielle|artisanale|d'activites)|\bfaubourg\b|\bmontee\b|\brynek\b|\bnabrezi|\bnamestie\b|\bpraceta\b|\balameda\b|\bplads\b|\btorv\b|\btorget\b|\bveien\b|\bbulevardi\b|\baukio\b|(?:dijk|dreef|steeg) \d|\bcircle\b|\bcrescent\b|\bterrace\b|\bmews\b|\brua\b|\bavenida\b|\bav\.|\bpraca\b|\btravessa\b|\bestrada\b|\blieu-?dit\b|\bgatve\b|\bprospektas\b|\b(?:g|pr)\. ?\d|\biela\b|\bprospekts\b|\bbulvar(?:is|i|ı)?\b|\btee \d|\bpst\b|\bmnt\b|\bcaddesi\b|\bcad\.|\bsokak|\bsok\.|\bmah(?:allesi|\.)|\bbulevar\b|\bobala\b|\btrg\b|\bput \d|\bprilaz\b|\bhameau d)/iu;
const unaccent = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
/** Whether a line has a word of a street or a box, in any of the languages. */
export const isStreet = (text: string): boolean => STREET.test(unaccent(text));
/** Whether an address is a box at the post office. */
export const isBox = (text: string): boolean =>
  /\bP\.? ?O\.? ?Box\b|\bPostfach\b|\bPostbo(?:x|ks|us)\b|\bApartado\b|\bApdo\b|^BP \d|\bCasilla\b/i.test(text);
/** "3 Paternoster Yard" over a place begins an address without a name. */
export const beginsAddress = (text: string): boolean => /^\d{1,4}[a-z]? \p{Lu}/u.test(text) || isBox(text);
/** A line that is the name of a country, and nothing else. */
export const COUNTRY =
  /^(?:deutschland|germany|allemagne|france|frankreich|united states(?: of america)?|u\.?s\.?a?\.?|united kingdom|u\.?k\.?|great britain|england|italia|italy|nederland|(?:the )?netherlands|españa|spain|portugal|česká republika|česko|czech republic|slovensko|slovenská republika|slovakia|polska|poland|magyarország|hungary|schweiz|suisse|switzerland|österreich|austria|belgi(?:ë|que|um|en)|danmark|denmark|sverige|sweden|norge|norway|suomi|finland|malaysia|singapore|australia|canada|india|ireland|românia|luxembourg)\.?$/iu;
const CONTACT =
  /@|www\.|https?:|\bfax\b|\b(?:tel|tlf|puh|phone|telefon|telefono|telephone|telefone|mobil|mobile|e-?mail)(?![\p{L}])|\+\d{2}/iu;
/** Where in a line it is told how to reach somebody. */
export const REACH = /(?<!\S)(?:\S+@|www\.|https?:|fax|t[eé]l|tlf|puh|phone|mobile?|e-?mail|\+\d{2})/iu;
/** A telephone number without a word for it. */
const isPhone = (text: string): boolean => /^\+?[\d\s()/.-]+$/.test(text) && /^\d{9,13}$/.test(text.replace(/\D/g, ''));
/** "Mon–Fri 8am–5pm", "Mo–Fr 7.30–18 Uhr": when somebody can be reached. */
const HOURS = /\d ?(?:am|pm|AM|PM|[Uu]hr|hrs)\b/;
/** How to reach somebody is no part of the address. */
export const isContact = (text: string): boolean =>
  (CONTACT.test(unaccent(text)) && !(hasLegalForm(text) && !/\d{3}|@|www|:/.test(text))) ||
  isPhone(text) ||
  (HOURS.test(text) && /\d\D+\d/.test(text));

/** "SAS au capital de 15 000 €" tells the form of a company, not its name. */
export const CAPITAL =
  /\b(?:au capital|capital social|capitale sociale|share capital|stammkapital|grundkapital|základní kapitál|základné imanie|kapitał zakładowy)\b/iu;
/** Words for trades stand under the names of shops too: "Restaurant - Brasserie". */
const TRADE =
  /^(?:enterprises?|trading|holdings?|group|hotel|restaurant|stores?|services|solutions|industries|verlag|company)$/iu;
/** Whether a line has no legal form but such a word. */
export const isTrade = (text: string): boolean => {
  const forms = [...text.matchAll(new RegExp(LEGAL_FORM, 'giu'))].map(([form]) => form.replace(/^[\s,]+/, ''));
  if (text.search(WRITTEN_FORM) >= 0) return false;
  return forms.length > 0 && forms.every((form) => TRADE.test(form));
};

/** Units, articles and the like in small letters ("500 kg", "se") are no legal forms. */
export function hasLegalForm(text: string): boolean {
  if (text.search(WRITTEN_FORM) >= 0) return true;
  for (const match of text.matchAll(new RegExp(LEGAL_FORM, 'giu'))) {
    const form = match[0].replace(/^[\s,]+/, '');
    if (form.length > 2 || form !== form.toLowerCase() || (text === text.toLowerCase() && !/\d/.test(text)))
      return true;
  }
  return false;
}

/** Title words that are no company. */
const TITLE =
  /^(?:(?:company |your )?logo$|(?:tax |commercial |proforma |cash |simplified |retail |sales )*(?:invoice|bill|receipt)|\p{L}*rechnung|fakt[uú]ra|facture|factur[aă]|factuur|fattura|fatura|számla|lasku|\p{L}*gutschrift|credit (?:note|memo)|avoir|kredit(?:t)?not\p{L}*|kreditfaktura|creditnota|creditfactuur|dobropis|nota (?:di|de) cr[eé]dito|hyvityslasku|zálohov\p{L}*|daňový doklad|pro ?forma|quittung|kvitto|kvittering|kuitti|reçu|recibo|účtenka|paragon|nyugta|statement|lieferschein|original|copy|kopie|duplicate|page|seite|orygina[łl]|kopia|copia|duplicado|welcome|thank|date|datum|stylesheet)|\b(?:nr|no|n°)\.? ?\d/iu;

/** "No. 70, Lebuh Chulia", "NO 53-1 PUSAT BANDAR" */
export const NUMBERED_HOUSE = /^no\.? ?\d{1,4}[a-z]?(?:[-&/,] ?\d{1,4}[a-z]?)*,? ?\p{L}{3}/iu;

/** Addresses have numbers too ("No. 8, High Street"). */
export const isTitle = (text: string) =>
  TITLE.test(text) && !isStreet(text) && !isPostal(text) && !NUMBERED_HOUSE.test(text);

/** Words over or before a name that address somebody. */
export const SALUTATION =
  /^(?:herrn?|frau|familie|eheleute|firma|fa\.|hr\.?|fru|pan|pán|pan[íi]|dott\.?|egr\. ?sigg?\.?|egregi(?:o|a)? sig(?:nor[ei]|\.)|gent\.(?:ma|mo|mi)|preg\.(?:mo|ma|mi)(?: sigg?\.)?|sr\.?|sra\.?|señor|señora|d\.|dña\.|dhr\.|mevr\.|mr\.?|mrs\.?|ms\.?|messrs\.?|m\.|mme|monsieur|madame|monsieur et madame|m\. et mme|m\. ou mme|mr et mme|mr\.? (?:and|&) mrs\.?|herrn? und frau|frau und herrn?|de heer|mevrouw|sig\.|spett\.? ?le|an|an die|to|attn:?)$/iu;

const OWNER =
  /^(?:Inhaber(?:in)?|Inh\.|Einzelunternehmer(?:in)?|Owner|Proprietor|Prop\.|Titolare|Titular|Propriétaire|Właściciel|Majitel(?:ka)?|Eigenaar)(?!\p{L})/iu;

/** "Inhaberin Petra Ostermann e.K.", under the name of her company. */
export const isOwner = (text: string): boolean => OWNER.test(text);

const BRAND =
  /^.{2,60}?\s(?:ist (?:eine?|das|die)? ?(?:eingetragene )?(?:Marke|Angebot|Service|Geschäftsbereich|Produkt|Abteilung) (?:der|des|von)|is an? (?:registered )?(?:trading name|trade name|trading style|brand|trade ?mark|division|service) of|est une (?:marque|enseigne|division)(?: commerciale| déposée)? (?:de la|de|du)|è un marchio (?:di|della)|es una marca (?:comercial |registrada )?(?:de|del)|é uma marca (?:da|de)|is een (?:handelsnaam|merk|label) van|är ett varumärke (?:från|som tillhör))\s(?=\p{Lu}|\d)/iu;

/** "Greenly is a trading name of Field Ltd": the company, of which the brand is none. */
export const withoutBrand = (name: string): string => name.replace(BRAND, '');

/** Words before the number of a company, and such a number: "CO. REG NO. 102544-K", "(JM0388174-P)", "201501022873 (1148201-W)". */
const REGISTER_WORDS =
  /(?<!\p{L})(?:co|comp|company|reg|registration|roc|rob|ssm|brn|uen|business|no|nos|number)(?!\p{L})/giu;
const COMPANY_NUMBER = /^[A-Z]{0,3}\d{5,12}[A-Z\d]?(?:\d{5,8}[A-Z])?$/;

/** Whether a line is the number of a company, with or without a label, as under the names of shops in Malaysia and Singapore. */
export const isCompanyNumber = (text: string): boolean =>
  text.length < 45 && COMPANY_NUMBER.test(text.replace(REGISTER_WORDS, '').replace(/[^\p{L}\d]/gu, ''));

const BEHIND_NAME =
  /(?<=\p{L}[.)]?),? ?\((?:(?:co|company|roc|reg)\b[^\d)]*)?(?:[A-Z]{0,3}\d[\d -]{4,}(?:-?[A-Z\d])?[^\p{L}\d]{0,2})?$|(?<=\p{L}[.)]?) \d{5,7}-[A-Z]$/iu;

/** A name without the number of its company behind it: "Lim Trading Sdn Bhd (1191015-W)", "Kedai Lim (CO. REG NO. SA0416111-K)". */
export const withoutCompanyNumber = (name: string): string => name.replace(BEHIND_NAME, '');

/** Whether a text has no word but those for legal forms and trades: "RESTAURANT SDN BHD". */
export const hasOnlyForms = (text: string): boolean =>
  hasLegalForm(text) &&
  !/\p{L}{3}/u.test(text.replace(new RegExp(LEGAL_FORM, 'giu'), ' ').replace(new RegExp(WRITTEN_FORM, 'gu'), ' '));

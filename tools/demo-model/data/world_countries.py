"""Countries, typed by hand: name | capital | continent | currency | main languages."""
from __future__ import annotations

from dataclasses import dataclass

_TABLE = """
Afghanistan|Kabul|Asia|afghani|Dari, Pashto
Albania|Tirana|Europe|lek|Albanian
Algeria|Algiers|Africa|Algerian dinar|Arabic, Berber
Andorra|Andorra la Vella|Europe|euro|Catalan
Angola|Luanda|Africa|kwanza|Portuguese
Antigua and Barbuda|St. John's|North America|East Caribbean dollar|English
Argentina|Buenos Aires|South America|Argentine peso|Spanish
Armenia|Yerevan|Asia|dram|Armenian
Australia|Canberra|Oceania|Australian dollar|English
Austria|Vienna|Europe|euro|German
Azerbaijan|Baku|Asia|manat|Azerbaijani
the Bahamas|Nassau|North America|Bahamian dollar|English
Bahrain|Manama|Asia|Bahraini dinar|Arabic
Bangladesh|Dhaka|Asia|taka|Bengali
Barbados|Bridgetown|North America|Barbados dollar|English
Belarus|Minsk|Europe|Belarusian ruble|Belarusian, Russian
Belgium|Brussels|Europe|euro|Dutch, French, German
Belize|Belmopan|North America|Belize dollar|English
Benin|Porto-Novo|Africa|CFA franc|French
Bhutan|Thimphu|Asia|ngultrum|Dzongkha
Bolivia|Sucre|South America|boliviano|Spanish, Quechua, Aymara
Bosnia and Herzegovina|Sarajevo|Europe|convertible mark|Bosnian, Croatian, Serbian
Botswana|Gaborone|Africa|pula|English, Setswana
Brazil|Brasilia|South America|real|Portuguese
Brunei|Bandar Seri Begawan|Asia|Brunei dollar|Malay
Bulgaria|Sofia|Europe|euro|Bulgarian
Burkina Faso|Ouagadougou|Africa|CFA franc|French
Burundi|Gitega|Africa|Burundi franc|Kirundi, French
Cambodia|Phnom Penh|Asia|riel|Khmer
Cameroon|Yaounde|Africa|CFA franc|French, English
Canada|Ottawa|North America|Canadian dollar|English, French
Cape Verde|Praia|Africa|escudo|Portuguese
the Central African Republic|Bangui|Africa|CFA franc|French, Sango
Chad|N'Djamena|Africa|CFA franc|French, Arabic
Chile|Santiago|South America|Chilean peso|Spanish
China|Beijing|Asia|yuan|Chinese
Colombia|Bogota|South America|Colombian peso|Spanish
the Comoros|Moroni|Africa|Comorian franc|Comorian, Arabic, French
Costa Rica|San Jose|North America|colon|Spanish
Croatia|Zagreb|Europe|euro|Croatian
Cuba|Havana|North America|Cuban peso|Spanish
Cyprus|Nicosia|Europe|euro|Greek, Turkish
the Czech Republic|Prague|Europe|Czech koruna|Czech
the Democratic Republic of the Congo|Kinshasa|Africa|Congolese franc|French
Denmark|Copenhagen|Europe|Danish krone|Danish
Djibouti|Djibouti City|Africa|Djibouti franc|French, Arabic
Dominica|Roseau|North America|East Caribbean dollar|English
the Dominican Republic|Santo Domingo|North America|Dominican peso|Spanish
East Timor|Dili|Asia|US dollar|Tetum, Portuguese
Ecuador|Quito|South America|US dollar|Spanish
Egypt|Cairo|Africa|Egyptian pound|Arabic
El Salvador|San Salvador|North America|US dollar|Spanish
Equatorial Guinea|Malabo|Africa|CFA franc|Spanish, French
Eritrea|Asmara|Africa|nakfa|Tigrinya, Arabic
Estonia|Tallinn|Europe|euro|Estonian
Eswatini|Mbabane|Africa|lilangeni|Swazi, English
Ethiopia|Addis Ababa|Africa|birr|Amharic, Oromo
Fiji|Suva|Oceania|Fiji dollar|English, Fijian
Finland|Helsinki|Europe|euro|Finnish, Swedish
France|Paris|Europe|euro|French
Gabon|Libreville|Africa|CFA franc|French
the Gambia|Banjul|Africa|dalasi|English
Georgia|Tbilisi|Asia|lari|Georgian
Germany|Berlin|Europe|euro|German
Ghana|Accra|Africa|cedi|English
Greece|Athens|Europe|euro|Greek
Grenada|St. George's|North America|East Caribbean dollar|English
Guatemala|Guatemala City|North America|quetzal|Spanish
Guinea|Conakry|Africa|Guinean franc|French
Guinea-Bissau|Bissau|Africa|CFA franc|Portuguese
Guyana|Georgetown|South America|Guyana dollar|English
Haiti|Port-au-Prince|North America|gourde|Haitian Creole, French
Honduras|Tegucigalpa|North America|lempira|Spanish
Hungary|Budapest|Europe|forint|Hungarian
Iceland|Reykjavik|Europe|Icelandic krona|Icelandic
India|New Delhi|Asia|Indian rupee|Hindi, English
Indonesia|Jakarta|Asia|rupiah|Indonesian
Iran|Tehran|Asia|rial|Persian
Iraq|Baghdad|Asia|Iraqi dinar|Arabic, Kurdish
Ireland|Dublin|Europe|euro|English, Irish
Italy|Rome|Europe|euro|Italian
Ivory Coast|Yamoussoukro|Africa|CFA franc|French
Jamaica|Kingston|North America|Jamaican dollar|English
Japan|Tokyo|Asia|yen|Japanese
Jordan|Amman|Asia|Jordanian dinar|Arabic
Kazakhstan|Astana|Asia|tenge|Kazakh, Russian
Kenya|Nairobi|Africa|Kenyan shilling|Swahili, English
Kiribati|Tarawa|Oceania|Australian dollar|English, Gilbertese
Kuwait|Kuwait City|Asia|Kuwaiti dinar|Arabic
Kyrgyzstan|Bishkek|Asia|som|Kyrgyz, Russian
Laos|Vientiane|Asia|kip|Lao
Latvia|Riga|Europe|euro|Latvian
Lebanon|Beirut|Asia|Lebanese pound|Arabic
Lesotho|Maseru|Africa|loti|Sesotho, English
Liberia|Monrovia|Africa|Liberian dollar|English
Libya|Tripoli|Africa|Libyan dinar|Arabic
Liechtenstein|Vaduz|Europe|Swiss franc|German
Lithuania|Vilnius|Europe|euro|Lithuanian
Luxembourg|Luxembourg City|Europe|euro|Luxembourgish, French, German
Madagascar|Antananarivo|Africa|ariary|Malagasy, French
Malawi|Lilongwe|Africa|Malawian kwacha|English, Chichewa
Malaysia|Kuala Lumpur|Asia|ringgit|Malay
the Maldives|Male|Asia|rufiyaa|Dhivehi
Mali|Bamako|Africa|CFA franc|Bambara
Malta|Valletta|Europe|euro|Maltese, English
the Marshall Islands|Majuro|Oceania|US dollar|Marshallese, English
Mauritania|Nouakchott|Africa|ouguiya|Arabic
Mauritius|Port Louis|Africa|Mauritian rupee|English, French, Creole
Mexico|Mexico City|North America|Mexican peso|Spanish
Micronesia|Palikir|Oceania|US dollar|English
Moldova|Chisinau|Europe|leu|Romanian
Monaco|Monaco|Europe|euro|French
Mongolia|Ulaanbaatar|Asia|tugrik|Mongolian
Montenegro|Podgorica|Europe|euro|Montenegrin
Morocco|Rabat|Africa|Moroccan dirham|Arabic, Berber
Mozambique|Maputo|Africa|metical|Portuguese
Myanmar|Naypyidaw|Asia|kyat|Burmese
Namibia|Windhoek|Africa|Namibian dollar|English
Nauru|Yaren|Oceania|Australian dollar|Nauruan, English
Nepal|Kathmandu|Asia|Nepalese rupee|Nepali
the Netherlands|Amsterdam|Europe|euro|Dutch
New Zealand|Wellington|Oceania|New Zealand dollar|English, Maori
Nicaragua|Managua|North America|cordoba|Spanish
Niger|Niamey|Africa|CFA franc|Hausa
Nigeria|Abuja|Africa|naira|English
North Korea|Pyongyang|Asia|North Korean won|Korean
North Macedonia|Skopje|Europe|denar|Macedonian, Albanian
Norway|Oslo|Europe|Norwegian krone|Norwegian
Oman|Muscat|Asia|Omani rial|Arabic
Pakistan|Islamabad|Asia|Pakistani rupee|Urdu, English
Palau|Ngerulmud|Oceania|US dollar|Palauan, English
Panama|Panama City|North America|balboa|Spanish
Papua New Guinea|Port Moresby|Oceania|kina|Tok Pisin, English
Paraguay|Asuncion|South America|guarani|Spanish, Guarani
Peru|Lima|South America|sol|Spanish, Quechua
the Philippines|Manila|Asia|Philippine peso|Filipino, English
Poland|Warsaw|Europe|zloty|Polish
Portugal|Lisbon|Europe|euro|Portuguese
Qatar|Doha|Asia|Qatari riyal|Arabic
the Republic of the Congo|Brazzaville|Africa|CFA franc|French
Romania|Bucharest|Europe|Romanian leu|Romanian
Russia|Moscow|Europe and Asia|Russian ruble|Russian
Rwanda|Kigali|Africa|Rwandan franc|Kinyarwanda, English, French
Saint Kitts and Nevis|Basseterre|North America|East Caribbean dollar|English
Saint Lucia|Castries|North America|East Caribbean dollar|English
Saint Vincent and the Grenadines|Kingstown|North America|East Caribbean dollar|English
Samoa|Apia|Oceania|tala|Samoan, English
San Marino|San Marino|Europe|euro|Italian
Sao Tome and Principe|Sao Tome|Africa|dobra|Portuguese
Saudi Arabia|Riyadh|Asia|Saudi riyal|Arabic
Senegal|Dakar|Africa|CFA franc|French, Wolof
Serbia|Belgrade|Europe|Serbian dinar|Serbian
the Seychelles|Victoria|Africa|Seychelles rupee|Creole, English, French
Sierra Leone|Freetown|Africa|leone|English, Krio
Singapore|Singapore|Asia|Singapore dollar|English, Malay, Chinese, Tamil
Slovakia|Bratislava|Europe|euro|Slovak
Slovenia|Ljubljana|Europe|euro|Slovene
the Solomon Islands|Honiara|Oceania|Solomon Islands dollar|English, Pijin
Somalia|Mogadishu|Africa|Somali shilling|Somali, Arabic
South Africa|Pretoria|Africa|rand|Zulu, Xhosa, Afrikaans, English
South Korea|Seoul|Asia|won|Korean
South Sudan|Juba|Africa|South Sudanese pound|English
Spain|Madrid|Europe|euro|Spanish
Sri Lanka|Sri Jayawardenepura Kotte|Asia|Sri Lankan rupee|Sinhala, Tamil
Sudan|Khartoum|Africa|Sudanese pound|Arabic, English
Suriname|Paramaribo|South America|Surinamese dollar|Dutch
Sweden|Stockholm|Europe|Swedish krona|Swedish
Switzerland|Bern|Europe|Swiss franc|German, French, Italian, Romansh
Syria|Damascus|Asia|Syrian pound|Arabic
Taiwan|Taipei|Asia|Taiwan dollar|Chinese
Tajikistan|Dushanbe|Asia|somoni|Tajik, Russian
Tanzania|Dodoma|Africa|Tanzanian shilling|Swahili, English
Thailand|Bangkok|Asia|baht|Thai
Togo|Lome|Africa|CFA franc|French
Tonga|Nuku'alofa|Oceania|pa'anga|Tongan, English
Trinidad and Tobago|Port of Spain|North America|Trinidad and Tobago dollar|English
Tunisia|Tunis|Africa|Tunisian dinar|Arabic
Turkey|Ankara|Asia|Turkish lira|Turkish
Turkmenistan|Ashgabat|Asia|Turkmen manat|Turkmen
Tuvalu|Funafuti|Oceania|Australian dollar|Tuvaluan, English
Uganda|Kampala|Africa|Ugandan shilling|English, Swahili
Ukraine|Kyiv|Europe|hryvnia|Ukrainian
the United Arab Emirates|Abu Dhabi|Asia|dirham|Arabic
the United Kingdom|London|Europe|pound sterling|English
the United States|Washington, D.C.|North America|US dollar|English
Uruguay|Montevideo|South America|Uruguayan peso|Spanish
Uzbekistan|Tashkent|Asia|Uzbek sum|Uzbek
Vanuatu|Port Vila|Oceania|vatu|Bislama, English, French
Vatican City|Vatican City|Europe|euro|Italian, Latin
Venezuela|Caracas|South America|bolivar|Spanish
Vietnam|Hanoi|Asia|dong|Vietnamese
Yemen|Sana'a|Asia|Yemeni rial|Arabic
Zambia|Lusaka|Africa|Zambian kwacha|English
Zimbabwe|Harare|Africa|Zimbabwe gold|English, Shona, Ndebele
"""

WELL_KNOWN = set("""Argentina Australia Austria Belgium Brazil Canada Chile China Colombia Croatia Cuba Denmark Egypt England
Ethiopia Finland France Germany Ghana Greece Hungary Iceland India Indonesia Iran Iraq Ireland Italy Jamaica Japan Kenya
Mexico Morocco Nepal Nigeria Norway Pakistan Peru Poland Portugal Romania Russia Spain Sweden Switzerland Thailand Turkey
Ukraine Vietnam""".split()) | {"the United States", "the United Kingdom", "the Netherlands", "South Africa", "New Zealand",
                               "South Korea", "Saudi Arabia", "the Philippines", "the Czech Republic"}


@dataclass(frozen=True)
class Country:
    """One row of the table."""

    name: str
    capital: str
    continent: str
    currency: str
    languages: tuple[str, ...]


COUNTRIES: list[Country] = []
for _line in _TABLE.strip().splitlines():
    _name, _capital, _continent, _currency, _languages = _line.split("|")
    COUNTRIES.append(Country(_name, _capital, _continent, _currency, tuple(_languages.split(", "))))
COMMON: list[Country] = [country for country in COUNTRIES if country.name in WELL_KNOWN]

# ruff: noqa: E501
"""Notes of four lives, each with the names that it holds: what the rules for names were written
with (WRITTEN_WITH), and what was set aside before (SET_ASIDE).

A row is a title or nothing, a text, and the names with their types; "thing" where no type is told,
and several where more than one is right."""

from typing import Final

Row = tuple[str, str, dict[str, str]]

WRITTEN_WITH: Final[tuple[Row, ...]] = (
    # A pottery studio.
    (
        "Morning firing",
        "Kiln 4 reached 1240 degrees at 10:15 and we let it cool for 9 hours.",
        {"Kiln 4": "thing"},
    ),
    ("Glaze recipe", "The celadon from Chapter 3 needs 12 parts feldspar and 4 parts chalk.", {}),
    (
        "Order for clay",
        "Our supplier Tonwerk Hauser GmbH delivers 40 bags on Day 5 of the sale.",
        {"Tonwerk Hauser GmbH": "organisation"},
    ),
    (
        "",
        "Nora Lindqvist said the shelf in Kiln 2 is cracked. Nora wants a new one.",
        {"Nora Lindqvist": "person", "Kiln 2": "thing"},
    ),
    ("", "Step 2 is the bisque, Step 3 the glaze; see Page 10.", {}),
    (
        "Visit of the buyer",
        "Our buyer Odalys came from Ribe and took the blue bowls.",
        {"Odalys": "person", "Ribe": "place"},
    ),
    ("", "kiln 4 tripped again; Room 12 has no light.", {"Kiln 4": "thing", "Room 12": "place"}),
    ("Weekly Summary", "We threw thirty mugs and trimmed the lids.", {}),
    (
        "Tonauslieferung",
        "Die Lieferung kommt am Montag, und der Ofen ist schon heiß. Die Schalen und Becher stehen im Regal.",
        {},
    ),
    # A clinic.
    (
        "Ward round",
        "Dr Petrosyan agreed that Bed 14 can go home on 3 March.",
        {"Dr Petrosyan": "person", "Bed 14": "thing place"},
    ),
    ("Call with Amadou Keita", "He asks for the results of the scan.", {"Amadou Keita": "person"}),
    ("", "Halvard, the accountant, called about the invoice of 1200 euros.", {"Halvard": "person"}),
    (
        "",
        "Scanner 3 is out of order until Version 2 of the driver is there.",
        {"Scanner 3": "thing"},
    ),
    (
        "",
        "Le médecin a dit que la patiente doit revenir avec Madame Okonjo dans deux semaines.",
        {"Madame Okonjo": "person"},
    ),
    (
        "Sprechstunde",
        "Die Patientin hat Fieber und Husten, und die Ärztin ist nicht im Haus. Frau Zeller ruft morgen an.",
        {"Frau Zeller": "person"},
    ),
    (
        "",
        "Tamsin speaks Dutch and works at Merrow Clinic in Delft.",
        {"Tamsin": "person", "Merrow Clinic": "organisation", "Delft": "place"},
    ),
    # A shipping company.
    (
        "Departure",
        "The Marisol left Pier 9 at 06:40 with 300 containers.",
        {"Pier 9": "place thing", "Marisol": "thing product"},
    ),
    (
        "Insurance",
        "Brennvik AS insures the hull; Koskela Oy has the cargo.",
        {"Brennvik AS": "organisation", "Koskela Oy": "organisation"},
    ),
    (
        "",
        "Crane 7B stopped, so Jorunn called Haulage Partners Ltd.",
        {"Crane 7B": "thing", "Jorunn": "person", "Haulage Partners Ltd": "organisation"},
    ),
    ("", "We pay 450 a day in Gdynia since May 2025.", {"Gdynia": "place"}),
    (
        "Aviso",
        "El barco llega el martes a Cartagena con la carga de la empresa Navitrans SL y el capitán no responde.",
        {"Cartagena": "place thing", "Navitrans SL": "organisation thing"},
    ),
    ("Harbour dues", "The harbour dues rise by 3 % from Week 12.", {}),
    # A software team.
    (
        "Release Notes",
        "Project Lanternfish ships on the iPhone 15 Pro first.",
        {"Project Lanternfish": "project", "iPhone 15 Pro": "product"},
    ),
    (
        "Stand-up",
        "Ines says the Quillbase service is down; Rack 3 lost power.",
        {"Ines": "person", "Quillbase": "project product tool thing", "Rack 3": "thing"},
    ),
    (
        "",
        "Der Server ist langsam, weil die Datenbank und der Speicher voll sind. Wir haben «Quillbase» neu gestartet.",
        {"Quillbase": "thing"},
    ),
    ("Pixel 8 crash", "It crashes after Level 6 with 3 errors.", {"Pixel 8": "product"}),
    (
        "",
        "Our designer Ngozi Eze agreed with Tobiah from Vellum Labs.",
        {"Ngozi Eze": "person", "Tobiah": "person", "Vellum Labs": "organisation"},
    ),
)
SET_ASIDE: Final[tuple[Row, ...]] = (
    # A pottery studio.
    (
        "Evening class",
        "Wheel 6 wobbles, so we moved the beginners to Studio 2.",
        {"Wheel 6": "thing", "Studio 2": "place thing"},
    ),
    ("Kiln log", "The second firing took 11 hours and used 38 kWh.", {}),
    (
        "Clay Delivery",
        "Pottery Supplies Ltd brought 25 bags of stoneware.",
        {"Pottery Supplies Ltd": "organisation"},
    ),
    ("", "Ingeborg, the glazer, says Kiln 1 runs cold.", {"Ingeborg": "person", "Kiln 1": "thing"}),
    ("", "Read Section 4 and Figure 2 before you mix the slip.", {}),
    (
        "Brennplan",
        "Der Ofen und die Regale sind sauber, aber die Glasur ist nicht trocken. Herr Oswald holt die Vasen ab.",
        {"Herr Oswald": "person"},
    ),
    ("Market in Ystad", "Sold 14 plates and a vase.", {"Ystad": "place"}),
    ("", "wheel 6 is fixed, Wheel 7 is not.", {"Wheel 6": "thing", "Wheel 7": "thing"}),
    # A clinic.
    (
        "Handover",
        "Nurse Adebayo told me that Room 31 needs new sheets.",
        {"Nurse Adebayo": "person", "Room 31": "place"},
    ),
    (
        "",
        "Ventilator 12 was serviced by Medivar GmbH on 4 June.",
        {"Ventilator 12": "thing", "Medivar GmbH": "organisation"},
    ),
    ("Monthly Budget", "We spent 4,300 on gloves in Month 2.", {}),
    (
        "",
        "Wanjiru called from Nakuru and agreed to come at 9:30.",
        {"Wanjiru": "person", "Nakuru": "place"},
    ),
    (
        "",
        "La paziente ha detto che il dolore non è passato e che la Dottoressa non era in sala. Ha chiamato Dr. Salvemini.",
        {"Dr. Salvemini": "person"},
    ),
    (
        "Befund",
        "Die Untersuchung der Lunge hat keine Auffälligkeit gezeigt und der Blutdruck ist normal.",
        {},
    ),
    (
        "",
        "Our pharmacist Zdenka wants Fridge 2 checked by Level 3 staff.",
        {"Zdenka": "person", "Fridge 2": "thing"},
    ),
    # A shipping company.
    (
        "Delay report",
        "Truck 18 waits at Gate B because Customs is shut.",
        {"Truck 18": "thing", "Gate B": "place thing"},
    ),
    (
        "",
        "Fjordlast AS and Baltline Oy share Dock 5.",
        {"Fjordlast AS": "organisation", "Baltline Oy": "organisation", "Dock 5": "place"},
    ),
    (
        "",
        "Captain Ruiz said that the Aurelia reaches Tallinn on Day 9.",
        {"Captain Ruiz": "person", "Aurelia": "thing product", "Tallinn": "place"},
    ),
    (
        "Vertraging",
        "Het schip is te laat en de lading van Van Houten BV staat nog op de kade.",
        {"Van Houten BV": "organisation thing"},
    ),
    (
        "",
        "Container 4417 was opened in Rostock, said Birgitta.",
        {"Container 4417": "thing", "Rostock": "place", "Birgitta": "person"},
    ),
    ("Fuel prices", "Fuel rose 4 percent in April 2026.", {}),
    # A software team.
    (
        "Retro",
        "Oleander crashed twice after Build 12, says Priyanka.",
        {"Priyanka": "person", "Oleander": "thing project product"},
    ),
    (
        "",
        "Project Saltbox moves to Server 9 in Week 3.",
        {"Project Saltbox": "project", "Server 9": "thing"},
    ),
    (
        "Galaxy S24 bug",
        "The app freezes on the Galaxy S24 Ultra.",
        {"Galaxy S24 Ultra": "product", "Galaxy S24": "product"},
    ),
    (
        "Fehlerbericht",
        "Der Fehler tritt auf, wenn die Verbindung langsam ist und der Nutzer die Seite lädt.",
        {},
    ),
    (
        "",
        "Kwabena, our tester, agreed with Sunniva from Hexwell Inc.",
        {"Kwabena": "person", "Sunniva": "person", "Hexwell Inc": "organisation"},
    ),
    (
        "Meeting with Farouk Benali",
        "The budget for the next quarter is fixed.",
        {"Farouk Benali": "person"},
    ),
)

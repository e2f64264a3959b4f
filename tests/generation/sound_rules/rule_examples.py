"""Texts before and after each sound rule: one line a text, as *before → after*; a text alone stays."""

from __future__ import annotations

from nextset.generation.sound_rules.rule_names import SOUND_RULES as TABLE
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["EXAMPLES", "SOUND_RULES", "pairs"]

ASPIRATED = frozenset({"ouzbek", "haut-allemand"})
SOUND_RULES: dict[str, SoundRule] = {rule.name: rule.made(ASPIRATED) for rule in TABLE}

EXAMPLES = {
    "a-an": """
        a Asian → an Asian
        an Turk → a Turk
    """,
    "french-contraction": """
        le roi de le Maroc → le roi du Maroc
        De les États-Unis → Des États-Unis
        à le Caire → au Caire
        À les Pays-Bas → Aux Pays-Bas
        jusqu’à les Pays-Bas → jusqu’aux Pays-Bas
        de la Tunisie
        de l’Algérie
        de Le Corbusier
        vis-de le Maroc
        là-de le, de
    """,
    "french-elision": """
        le Américain → l’Américain
        la Algérienne → l’Algérienne
        Le Américain → L’Américain
        Que elle → Qu’elle
        la île de Yeu → l’île d’Yeu
        lorsque Ali → lorsqu’Ali
        puisque un ami → puisqu’un ami
        jusque en Inde → jusqu’en Inde
        je hésite → j’hésite
        je hais
        le Hollandais
        la Hongroise
        le héros
        le Han
        la Haoussa
        le Hazara
        le Huron
        la Hopi
        le harki
        le Hittite
        de Hong Kong
        de Hong-Kong
        le Hongkongais
        la Hambourgeoise
        le Hanovrien
        le Hessois
        de Hesse
        le hassidique
        le handballeur
        le hacker
        le hooligan
        le hipster
        le héraut
        le hérisson
        la harpiste
        le Hezbollah
        le hadj
        le Hottentot
        la hyène → l’hyène
        le héritier → l’héritier
        de Haïfa → d’Haïfa
        le homme → l’homme
        la habitante → l’habitante
        la harmonie → l’harmonie
        le Hindou → l’Hindou
        le Hébreu → l’Hébreu
        le historien → l’historien
        la hospitalité → l’hospitalité
        la hernie
        la horloge → l’horloge
        la horde
        le hôte → l’hôte
        le halogène → l’halogène
        la haltère → l’haltère
        la héroïne → l’héroïne
        le huit
        le huître → l’huître
        le onze
        le oui
        la ouïe → l’ouïe
        la ouest-allemande → l’ouest-allemande
        le Yémen
        le yaourt
        de Yonne → d’Yonne
        de Yves → d’Yves
        il ne y a → il n’y a
        le Haïtien → l’Haïtien
        le Ouzbek
        le haut-allemand
        le Ouïghour → l’Ouïghour
        le ONU → l’ONU
        le HLM
        le FBI
        le 1er
        du Algérien → de l’Algérien
        au Algérien → à l’Algérien
        du Marocain
        ce Américain → cet Américain
        ce est → c’est
        ce étaient → c’étaient
        ce a été → ç’a été
        si il vient → s’il vient
        si elle vient
        dis-le à Ali
        suis-je aimé
        de « Alger » → d’« Alger »
    """,
    "italian-contraction": """
        di il Marocco → del Marocco
        in gli Stati Uniti → negli Stati Uniti
        a l’Italia → all’Italia
        Di i tedeschi → Dei tedeschi
        da lo studente → dallo studente
        su le strade → sulle strade
        da la Francia → dalla Francia
        in Italia
        di Il Cairo
    """,
    "italian-elision": """
        il studente → lo studente
        il amico → l’amico
        la amica → l’amica
        la iena
        il iato → lo iato
        una inglese → un’inglese
        una svizzera
        un ebreo
        un svizzero → uno svizzero
        un zingaro → uno zingaro
        i ebrei → gli ebrei
        i gnomi → gli gnomi
        I studenti → Gli studenti
        dei svizzeri → degli svizzeri
        del Iran → dell’Iran
        del Sri Lanka → dello Sri Lanka
        dal psicologo → dallo psicologo
        quel sceicco → quello sceicco
        quei americani → quegli americani
        nessun xenofobo → nessuno xenofobo
        il yemenita → lo yemenita
        il Honduras → l’Honduras
        la Ungheria → l’Ungheria
        il turco
        il whisky
        il jazz
        il FBI
        lo vede
        gli dice
        il 2020
    """,
    "spanish-contraction": """
        de el Reino Unido → del Reino Unido
        A el peruano → Al peruano
        de El Salvador
        de él
        de ella
    """,
    "portuguese-contraction": """
        de o Brasil → do Brasil
        De as Filipinas → Das Filipinas
        em a Argentina → na Argentina
        em os Estados Unidos → nos Estados Unidos
        por os Países Baixos → pelos Países Baixos
        a o brasileiro → ao brasileiro
        a a brasileira → à brasileira
        A as portuguesas → Às portuguesas
        de Portugal
        de O Globo
        de um brasileiro
        com o Brasil
        para a Argentina
    """,
    "spanish-conjunctions": """
        Juan y Irene → Juan e Irene
        judíos y hindúes → judíos e hindúes
        Ana y Ítalo → Ana e Ítalo
        Ana y Yves → Ana e Yves
        Ana y Ian → Ana e Ian
        Y Irene → E Irene
        madera y hierro
        hielo y hiato
        Omán y Yemen
        ¿Y Inés?
        Isabel y II
        Juan o Olga → Juan u Olga
        mujer o hombre → mujer u hombre
        7 o 8 → 7 u 8
        10 o 11 → 10 u 11
        10 o 11.000 → 10 u 11.000
        100 o 110
        O Óscar → U Óscar
        uno o dos
    """,
    "german-contraction": """
        in dem Irak → im Irak
        In das Dorf → Ins Dorf
        an dem Meer → am Meer
        an das Meer → ans Meer
        zu dem Türken → zum Türken
        zu der Türkin → zur Türkin
        von dem Türken → vom Türken
        bei dem „Türken“ → beim „Türken“
        Bei dem Türken → Beim Türken
        mit dem Türken
        in der Türkei
        Darin dem Türken
    """,
    "russian-prepositions": """
        с Швецией → со Швецией
        с Словакией → со Словакией
        с Шри-Ланкой → со Шри-Ланкой
        со Сербией → с Сербией
        с Францией
        со всеми
        с вторника → со вторника
        с Всеволодом
        со Всеволодом
        с США
        со СМИ
        в Франции → во Франции
        В Вьетнаме → Во Вьетнаме
        в «Франции» → во «Франции»
        во Венгрии → в Венгрии
        в рту → во рту
        в Мьянме
        в Лхасе
        о Италии → об Италии
        об Японии → о Японии
        о Иордании → об Иордании
        об Йемене → о Йемене
        о мне → обо мне
        о всех → обо всех
        об России → о России
        о МГУ
        об МГУ
        к льву → ко льву
        ко Египту → к Египту
        к вторнику → ко вторнику
        из рта → изо рта
        изо Китая → из Китая
        над мной → надо мной
        передо Иваном → перед Иваном
        из-под Иваново
        с 2020
    """,
    "korean-particles": """
        한국인은(는) → 한국인은
        의사는(은) → 의사는
        의사이(가) → 의사가
        한국인을(를) → 한국인을
        의사과(와) → 의사와
        의사아(야) → 의사야
        의사(은)는 → 의사는
        한국인(는)은 → 한국인은
        한국인(이)가 → 한국인이
        의사(이)가 → 의사가
        의사(이)에요 → 의사예요
        학생(이)에요 → 학생이에요
        의사(이)었다 → 의사였다
        학생(이)었다 → 학생이었다
        의사(이)어서 → 의사여서
        의사(이)야 → 의사야
        학생(이)야 → 학생이야
        의사(이)지만 → 의사지만
        학생(이)지만 → 학생이지만
        Busan(이)었다
        서울(으)로 → 서울로
        부산(으)로 → 부산으로
        의사(으)로 → 의사로
        의사(이)나 → 의사나
        한국인(이)나 → 한국인이나
        서울(이)랑 → 서울이랑
        학생(이)라고 → 학생이라고
        ‘의사’은(는) → ‘의사’는
        부산(Busan)을(를) → 부산(Busan)을
        3을(를) → 3을
        2을(를) → 2를
        10(으)로 → 10으로
        1(으)로 → 1로
        LG이(가) → LG가
        URL(으)로 → URL로
        ATM은(는) → ATM은
        KBS은(는) → KBS는
        Busan은(는)
        OPEC은(는)
        은(는)
        (남)은(는)
    """,
    "arabic-prefixes": """
        لالمغرب → للمغرب
        ل المغرب → للمغرب
        لـ المغرب → للمغرب
        ل اللبناني → للبناني
        لالله → لله
        لالليل → لليل
        ول الصين → وللصين
        لِالصين → لِلصين
        ل تركيا → لتركيا
        و المغرب → والمغرب
        ب المغرب → بالمغرب
        ك المغربي → كالمغربي
        ف المغربي → فالمغربي
        بـ تركيا → بتركيا
        ل ألمانيا → لألمانيا
        لالتزام
        ل التزام → لالتزام
        ل الالتزام → للالتزام
        لالياس
        ل الهام → لالهام
        ل اليكس → لاليكس
        لالبانيا
        ل إلياس → لإلياس
        ل اليابان → لليابان
        ل السلفادور → للسلفادور
        ل المانع → للمانع
        لالتماثيل → للتماثيل
        للمغرب
        قال المغربي
        مقال العلم
    """,
}


def pairs(name: str) -> list[tuple[str, str]]:
    """Return the texts before and after the rule ``name``."""
    lines = [line.strip() for line in EXAMPLES[name].strip().splitlines()]
    return [(before, after or before) for before, _, after in (line.partition(" → ") for line in lines)]
